#!/bin/sh
# boost_context.sh - does it find Boost.Context, the one library that CUDA on the CPU cannot do without?
# usage: tools/boost_context.sh C++-COMPILER [OPTION...]
printf '%s\n' '#include <boost/context/detail/fcontext.hpp>' 'int main() {}' |
  "$@" -x c++ -o /dev/null - -lboost_context 2>/dev/null
