# What find_package(graphsplit) finds after `make install`: graphsplit::header, an include directory, and
# graphsplit::graphsplit, the implementation, compiled as part of the project that uses it.
if(NOT TARGET graphsplit::header)
  get_filename_component(GRAPHSPLIT_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  add_library(graphsplit::header INTERFACE IMPORTED GLOBAL)
  set_target_properties(graphsplit::header PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${GRAPHSPLIT_PREFIX}/include")
  add_library(graphsplit STATIC EXCLUDE_FROM_ALL "${CMAKE_CURRENT_LIST_DIR}/graphsplit.c")
  target_link_libraries(graphsplit PUBLIC graphsplit::header)
  add_library(graphsplit::graphsplit ALIAS graphsplit)
endif()
