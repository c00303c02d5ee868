// The subcommands of weir. Each adds itself to the command line and, once chosen, leaves its exit
// status: 0 done, 1 failed, 2 bad input, 128 + n ended by signal n (and what a subcommand adds). Bad input is thrown as
// InputError before anything has been written to standard output.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

namespace weir::app {

void add_run(CLI::App& app, int& status);
void add_resume(CLI::App& app, int& status);
void add_fork(CLI::App& app, int& status);
void add_validate(CLI::App& app, int& status);
void add_list(CLI::App& app, int& status);
// A subcommand of list.
void add_list_topology(CLI::App& list, int& status);
void add_demo(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_theory(CLI::App& app, int& status);
void add_import(CLI::App& app, int& status);
void add_sweep(CLI::App& app, int& status);
void add_compare(CLI::App& app, int& status);
void add_report(CLI::App& app, int& status);
void add_view(CLI::App& app, int& status);
void add_paper(CLI::App& app, int& status);
void add_policy(CLI::App& app, int& status);
void add_train(CLI::App& app, int& status);
// The command becomes another one, whose exit status it has.
void add_host(CLI::App& app);

// Of an option whose empty value would pass for its absence.
CLI::Validator not_empty();

}  // namespace weir::app
