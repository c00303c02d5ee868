// A stranger's program: it must compile and link with no more than weir::core.
#include <iostream>

#include "weir/base/params.h"
#include "weir/base/version.h"
#include "weir/cc/algorithm.h"

int main() {
  const auto& all = weir::cc::catalogue();
  std::cout << "weir " << weir::version() << " has " << all.size() << " algorithms; 12.5 us is "
            << weir::parse_time("12.5 us").ps << " ps\n";
  return all.empty() ? 1 : 0;
}
