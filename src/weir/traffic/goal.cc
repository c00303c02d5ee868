#include "weir/traffic/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weir/base/text_file.h"
#include "weir/traffic/fields.h"

namespace weir::traffic {
namespace {

// Splits the text into words and the marks { } : ; and keeps the line of each.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : text_(text), file_(file) { read(); }

  // The next word; "" at the end of the text.
  std::string_view peek() const { return word_; }
  Where where() const { return {file_, line_}; }
  std::string_view take() {
    const std::string_view word = word_;
    read();
    return word;
  }
  bool take_if(std::string_view word) {
    if (word_ != word) return false;
    read();
    return true;
  }
  void expect(std::string_view word, std::string_view after) {
    if (!take_if(word)) throw InputError(where(), fmt::format("'{}' is needed {}, not {}", word, after, shown()));
  }
  std::string shown() const { return word_.empty() ? "the end" : fmt::format("'{}'", word_.substr(0, 40)); }

 private:
  static bool is_mark(char c) { return c == '{' || c == '}' || c == ':' || c == ';'; }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  void skip(std::size_t n) {
    for (const char c : text_.substr(0, n)) line_ += c == '\n';
    text_.remove_prefix(std::min(n, text_.size()));
  }
  bool skip_comment() {
    if (text_.starts_with("//") || text_.starts_with("#")) {
      skip(text_.find('\n'));
      return true;
    }
    if (!text_.starts_with("/*")) return false;
    const auto end = text_.find("*/");
    if (end == std::string_view::npos) throw InputError(where(), "a comment that does not end; write */");
    skip(end + 2);
    return true;
  }
  void read() {
    while (!text_.empty() && (is_space(text_.front()) || skip_comment()))
      if (!text_.empty() && is_space(text_.front())) skip(1);
    std::size_t n = 0;
    if (!text_.empty() && is_mark(text_.front()))
      n = 1;
    else
      while (n < text_.size() && !is_mark(text_[n]) && !is_space(text_[n]) && text_[n] != '#') ++n;
    word_ = text_.substr(0, n);
    text_.remove_prefix(n);
  }

  std::string_view text_;
  const std::string& file_;
  std::string_view word_;
  int line_ = 1;
};

enum class Kind : std::uint8_t { calc, send, recv };

// The wildcard of LogGOPSim for a rank or a tag.
constexpr std::string_view kAny = "-1";
constexpr std::int64_t kAnyTag = -1;

struct Op {
  Kind kind = Kind::calc;
  int line = 0;
  std::int64_t amount = 0;  // units of time, or bytes
  std::uint32_t peer = 0;
  std::int64_t tag = 0;
  bool post = false;       // recv: another operation waits for its begin
  std::uint32_t node = 0;  // index into the nodes, once it has been added
  std::uint32_t posted = 0;
};

struct Dependency {
  std::uint32_t op = 0;
  std::uint32_t of = 0;
  bool begun = false;  // irequires
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& file, Time unit, const std::vector<std::uint32_t>& host_of,
         Labels labels)
      : words_(text, file), file_(file), unit_(unit), host_of_(host_of), labels_(labels) {}

  struct Counts {
    std::uint64_t operations = 0;
    std::uint64_t with_cpu = 0;
    std::uint64_t with_nic = 0;
    std::int64_t last_nic = 0;
  };
  const Counts& counts() const { return counts_; }

  Program read() {
    words_.expect("num_ranks", "at the beginning");
    const Where where_ranks = words_.where();
    ranks_ = static_cast<std::uint32_t>(number("num_ranks", 1, INT32_MAX));
    if (ranks_ > host_of_.size())
      throw InputError(where_ranks, fmt::format("num_ranks {}, but there are {} hosts", ranks_, host_of_.size()));
    std::vector<int> line_of(ranks_);
    while (!words_.peek().empty()) {
      const Where where = words_.where();
      words_.expect("rank", "here");
      const std::uint32_t rank = read_rank_number();
      if (line_of[rank] != 0)
        throw InputError(where, fmt::format("rank {} a second time; line {} has it", rank, line_of[rank]));
      line_of[rank] = where.line;
      read_rank(rank);
    }
    match();
    Program out(std::move(nodes_), edges_, labels_.tag);
    check_program(
        out, [this](std::uint32_t node) { return place(node); },
        [this](std::uint32_t node) { return fmt::format("the operation of line {}", lines_[node]); });
    return out;
  }

 private:
  Where place(std::uint32_t node) const { return {file_, lines_[node]}; }

  std::int64_t number(std::string_view what, std::int64_t min, std::int64_t max) {
    const Where where = words_.where();
    return whole_number(words_.take(), what, min, max, where);
  }

  std::uint32_t read_rank_number() {
    const Where where = words_.where();
    const std::int64_t rank = number("rank", 0, INT32_MAX);
    if (rank >= ranks_)
      throw InputError(where, fmt::format("there is no rank {}: ranks are 0 to {}", rank, ranks_ - 1));
    return static_cast<std::uint32_t>(rank);
  }

  void read_rank(std::uint32_t rank) {
    std::vector<Op> ops;
    std::unordered_map<std::string, std::uint32_t> op_of;
    struct Named {
      std::string op;
      std::string of;
      bool begun;
      Where where;
    };
    std::vector<Named> named;
    words_.expect("{", "after the rank's number");
    while (!words_.take_if("}")) {
      if (words_.take_if(";")) continue;
      const Where where = words_.where();
      const std::string word(words_.peek());
      if (word.empty()) throw InputError(where, fmt::format("rank {} does not end; write }}", rank));
      if (word == "calc" || word == "send" || word == "recv") {
        ops.push_back(read_op());
        continue;
      }
      words_.take();
      if (words_.take_if(":")) {
        const auto [known, is_new] = op_of.emplace(word, static_cast<std::uint32_t>(ops.size()));
        if (!is_new)
          throw InputError(where,
                           fmt::format("label '{}' a second time; line {} has it", word, ops[known->second].line));
        ops.push_back(read_op());
        continue;
      }
      const bool begun = words_.peek() == "irequires";
      if (!begun && words_.peek() != "requires")
        throw InputError(words_.where(),
                         fmt::format("':', requires or irequires is needed after '{}', not {}", word, words_.shown()));
      words_.take();
      named.push_back({word, std::string(words_.take()), begun, where});
    }
    std::vector<Dependency> dependencies;
    const auto find = [&](const std::string& label, const Where& where) {
      const auto known = op_of.find(label);
      if (known == op_of.end()) throw InputError(where, fmt::format("rank {} has no label '{}'", rank, label));
      return known->second;
    };
    for (const Named& n : named) {
      dependencies.push_back({find(n.op, n.where), find(n.of, n.where), n.begun});
      if (dependencies.back().op == dependencies.back().of)
        throw InputError(n.where, fmt::format("'{}' waits for itself", n.op));
      if (n.begun) ops[dependencies.back().of].post = true;
    }
    make_nodes(rank, ops);
    for (const Dependency& d : dependencies) depend(ops[d.op], ops[d.of], d.begun);
  }

  Op read_op() {
    const Where where = words_.where();
    const std::string_view word = words_.take();
    Op op{.line = where.line};
    if (word == "calc") {
      op.amount = number("calc", 0, INT64_MAX);
      if (static_cast<__int128>(op.amount) * unit_.ps > kMaxTime.ps)
        throw InputError(where, fmt::format("calc {} is longer than {}", op.amount, format_value(kMaxTime)));
    } else if (word == "send" || word == "recv") {
      op.kind = word == "send" ? Kind::send : Kind::recv;
      const Where at = words_.where();
      std::string_view size = words_.take();
      if (size.ends_with('b')) size.remove_suffix(1);
      op.amount = whole_number(size, "size", 0, kMaxFlowSize.count, at);
      words_.expect(op.kind == Kind::send ? "to" : "from", "after the size");
      if (op.kind == Kind::recv && words_.peek() == kAny)
        throw InputError(words_.where(), "a recv from any rank, -1, is not possible; write the rank that sends");
      op.peer = read_rank_number();
      if (words_.take_if("tag")) op.tag = number("tag", INT64_MIN, INT64_MAX);
    } else {
      throw InputError(where, fmt::format("unknown operation '{}'; valid is calc, send, recv", word.substr(0, 40)));
    }
    ++counts_.operations;
    if (words_.take_if("cpu")) {
      number("cpu", 0, INT32_MAX);
      ++counts_.with_cpu;
    }
    if (words_.take_if("nic")) {
      counts_.last_nic = std::max(counts_.last_nic, number("nic", 0, INT32_MAX));
      ++counts_.with_nic;
    }
    return op;
  }

  std::uint32_t add(const Program::Node& node, int line) {
    if (nodes_.size() == kMaxNodes)
      throw InputError(Where{file_, line}, fmt::format("more than {} operations", kMaxNodes));
    nodes_.push_back(node);
    lines_.push_back(line);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  void make_nodes(std::uint32_t rank, std::vector<Op>& ops) {
    for (Op& op : ops) {
      Program::Node node{.src = host_of_[rank], .dst = host_of_[rank], .tag = labels_.tag, .profile = labels_.profile};
      if (op.kind != Kind::calc && op.peer == rank)
        throw InputError(Where{file_, op.line}, fmt::format("rank {} and itself; a message needs two ranks", rank));
      if (op.kind == Kind::calc) node.delay = unit_ * op.amount;
      if (op.kind == Kind::send) {
        node.dst = host_of_[op.peer];
        node.size = {std::max<std::int64_t>(1, op.amount)};  // a message without content is one byte here
      }
      op.node = op.posted = add(node, op.line);
      if (op.kind == Kind::recv && op.post) {
        op.posted = add(node, op.line);
        edges_.push_back({op.posted, Event::received, op.node});
      }
      if (op.kind == Kind::send) meetings_[{rank, op.peer, op.tag}].sends.emplace_back(op.node, op.amount);
      if (op.kind == Kind::recv) meetings_[{op.peer, rank, op.tag}].recvs.emplace_back(op.node, op.amount);
    }
  }

  void depend(const Op& op, const Op& of, bool begun) {
    if (begun)
      edges_.push_back({of.posted, Event::started, op.posted});
    else
      edges_.push_back({of.node, Event::sent, op.posted});
  }

  void match() {
    for (const auto& [key, meeting] : meetings_) {
      const auto [from, to, tag] = key;
      const auto& [sends, recvs] = meeting;
      for (std::size_t i = 0; i < std::max(sends.size(), recvs.size()); ++i) {
        if (i >= recvs.size())
          throw InputError(place(sends[i].first),
                           fmt::format("this send has no recv: rank {} receives {} from {} with the tag {}", to,
                                       recvs.size(), from, tag));
        if (i >= sends.size())
          throw InputError(
              place(recvs[i].first),
              fmt::format("this recv has no send: rank {} sends {} to {} with the tag {}{}", from, sends.size(), to,
                          tag, tag == kAnyTag ? ", and a recv of any tag is not possible" : ""));
        if (sends[i].second != recvs[i].second)
          throw InputError(place(recvs[i].first),
                           fmt::format("recv of {} bytes, but the send of line {} has {}", recvs[i].second,
                                       lines_[sends[i].first], sends[i].second));
        edges_.push_back({sends[i].first, Event::received, recvs[i].first});
      }
    }
  }

  // Nodes and sizes of the messages from one rank to another with one tag, in order.
  struct Meeting {
    std::vector<std::pair<std::uint32_t, std::int64_t>> sends;
    std::vector<std::pair<std::uint32_t, std::int64_t>> recvs;
  };

  Words words_;
  const std::string& file_;
  Time unit_;
  const std::vector<std::uint32_t>& host_of_;
  Labels labels_;
  Counts counts_;
  std::uint32_t ranks_ = 0;
  std::vector<Program::Node> nodes_;
  std::vector<int> lines_;
  std::vector<Program::Edge> edges_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, Meeting> meetings_;
};

}  // namespace

Program parse_goal(std::string_view text, const std::string& file, Time unit, const std::vector<std::uint32_t>& host_of,
                   Labels labels, const std::function<void(const std::string&)>& notice) {
  Reader reader(text, file, unit, host_of, labels);
  Program out = reader.read();
  if (!notice) return out;
  const auto& counts = reader.counts();
  if (counts.with_cpu > 0)
    notice(
        fmt::format("{}: {} of {} operations name a cpu, which has no effect: computations of a rank go on at the "
                    "same time unless one requires the other",
                    file, counts.with_cpu, counts.operations));
  if (counts.last_nic > 0)
    notice(
        fmt::format("{}: {} of {} operations name a nic, up to {}, which has no effect: a rank has one NIC, that of "
                    "its host",
                    file, counts.with_nic, counts.operations, counts.last_nic));
  return out;
}

Program read_goal(const Goal& params, const Context& context) {
  if (params.file.empty()) throw InputError("file", "missing; name a GOAL schedule");
  const auto path = (std::filesystem::path(context.folder) / params.file).string();
  const auto hosts = place(parse_hosts(params.hosts, "hosts", context), params.placement, 1, context);
  Program out = parse_goal(read_named_file(path, "a GOAL schedule", "file"), path, params.time_unit, hosts,
                           context.labels, context.notice);
  if (out.empty()) throw InputError(Where{path, 0}, "no operation; write at least one");
  return out;
}

}  // namespace weir::traffic
