#!/bin/sh
# Removes from node_modules what no service loads: types and source maps of libraries, and Prisma's query compilers for
# databases other than PostgreSQL. Together it is more than half of the folder.
set -eu
find node_modules -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \) -delete
runtime=node_modules/@prisma/client/runtime
if [ -d "$runtime" ]; then
  find "$runtime" -type f \( -name 'query_compiler_*' -o -name 'wasm-compiler-edge*' \) \
    ! -name 'query_compiler_*.postgresql.*' -delete
fi
