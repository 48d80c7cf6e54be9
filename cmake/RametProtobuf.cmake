# ramet_protobuf: protobuf's runtime with every symbol renamed (docs/decisions/0001-private-protobuf.md).
#
# Built from Debian's source package of the same version as the installed protoc: static, PIC, with hidden symbols, in
# the namespace ramet_google. Targets that link it are compiled with the same renaming, so that generated code and the
# <google/protobuf/...> headers need no changes.
set(RAMET_PROTOBUF_SOURCE "" CACHE PATH "Folder of an unpacked protobuf source (with src/ in it); empty to fetch it")

find_program(RAMET_PROTOC protoc REQUIRED)
execute_process(COMMAND ${RAMET_PROTOC} --version OUTPUT_VARIABLE protoc_says COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "[0-9][0-9.]*[0-9]" RAMET_PROTOBUF_VERSION "${protoc_says}")

if(RAMET_PROTOBUF_SOURCE)
  set(RAMET_PROTOBUF_ROOT ${RAMET_PROTOBUF_SOURCE})
else()
  set(RAMET_PROTOBUF_ROOT ${CMAKE_BINARY_DIR}/third_party/protobuf)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/fetch-protobuf.sh ${RAMET_PROTOBUF_ROOT} ${RAMET_PROTOBUF_VERSION}
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
if(NOT EXISTS ${RAMET_PROTOBUF_ROOT}/src/google/protobuf/message.cc)
  message(FATAL_ERROR "no src/google/protobuf/message.cc in ${RAMET_PROTOBUF_ROOT}: "
                      "set RAMET_PROTOBUF_SOURCE to the folder of an unpacked protobuf ${RAMET_PROTOBUF_VERSION}")
endif()

set(lite any_lite arena arenastring arenaz_sampler extension_set generated_enum_util
         generated_message_tctable_lite generated_message_util implicit_weak_message inlined_string_field
         io/coded_stream io/strtod io/zero_copy_stream io/zero_copy_stream_impl
         io/zero_copy_stream_impl_lite map message_lite parse_context repeated_field repeated_ptr_field
         stubs/bytestream stubs/common stubs/int128 stubs/status stubs/statusor stubs/stringpiece
         stubs/stringprintf stubs/structurally_valid stubs/strutil stubs/time wire_format_lite)
set(full any descriptor descriptor_database dynamic_message extension_set_heavy generated_message_bases
         generated_message_reflection generated_message_tctable_full io/printer io/tokenizer map_field
         message reflection_ops service stubs/substitute text_format unknown_field_set wire_format)
set(well_known any descriptor wrappers)

set(sources ${lite} ${full})
list(TRANSFORM sources PREPEND ${RAMET_PROTOBUF_ROOT}/src/google/protobuf/)
list(TRANSFORM sources APPEND .cc)
foreach(name ${well_known})
  list(APPEND sources ${RAMET_PROTOBUF_ROOT}/src/google/protobuf/${name}.pb.cc)
endforeach()

add_library(ramet_protobuf STATIC ${sources})
target_include_directories(ramet_protobuf SYSTEM PUBLIC $<BUILD_INTERFACE:${RAMET_PROTOBUF_ROOT}/src>)
target_compile_definitions(ramet_protobuf PUBLIC google=ramet_google PRIVATE HAVE_PTHREAD)
foreach(name ${well_known})
  foreach(global descriptor_table TableStruct)
    set(symbol ${global}_google_2fprotobuf_2f${name}_2eproto)
    target_compile_definitions(ramet_protobuf PUBLIC ${symbol}=ramet_${symbol})
  endforeach()
endforeach()
target_link_libraries(ramet_protobuf PUBLIC Threads::Threads)
ramet_foreign_code(ramet_protobuf)
ramet_precompile(ramet_protobuf <google/protobuf/wire_format.h>)
