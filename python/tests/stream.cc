// A library as other packages bring it: it reads a number by the streams of the C++ library that all share.
#include <sstream>

extern "C" double read_number(const char* text) {
  std::istringstream in(text);
  double number = -1;
  in >> number;
  return number;
}
