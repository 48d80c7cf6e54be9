# Writes OUTPUT, the serialized FileDescriptorSet of every .proto file under SOURCE and of what they
# import, with Ramet's package renamed to TensorFlow's: text format and Any name messages by package,
# and the Python package, which has a descriptor pool of its own, is to read and write TensorFlow's names.
#
#   cmake -DPROTOC=... -DSOURCE=... -DINCLUDE=... -DSCRATCH=... -DOUTPUT=... -P descriptors.cmake
file(GLOB_RECURSE protos RELATIVE ${SOURCE} ${SOURCE}/*.proto)
file(REMOVE_RECURSE ${SCRATCH})
foreach(proto ${protos})
  file(READ ${SOURCE}/${proto} text)
  string(REPLACE "package ramet" "package tensorflow" text "${text}")
  file(WRITE ${SCRATCH}/${proto} "${text}")
endforeach()
get_filename_component(folder ${OUTPUT} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
execute_process(
  COMMAND ${PROTOC} -I ${SCRATCH} -I ${INCLUDE} --include_imports --descriptor_set_out=${OUTPUT} ${protos}
  COMMAND_ERROR_IS_FATAL ANY)
