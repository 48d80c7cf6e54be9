# Fails if an object of one instruction set level has a function that the linker may merge with another level's, because
# a processor could then meet instructions that it does not support.
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${NM} cannot read ${object}")
  endif()
  string(REGEX MATCHALL "[^\n]* [WV] [^\n]*" weak "${symbols}")
  foreach(symbol ${weak})
    if(NOT symbol MATCHES "level_${LEVEL}|Eigen_${LEVEL}|DW.ref.__gxx_personality_v0")
      message(SEND_ERROR "${object}: ${symbol} does not belong to level ${LEVEL}")
    endif()
  endforeach()
endforeach()
