// A shared library that is no plug-in.
extern "C" int nothing_of_weir() { return 0; }
