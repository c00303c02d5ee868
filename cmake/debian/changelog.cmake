# Writes DOCUMENTS/changelog.gz for VERSION, always with the same bytes.
string(TIMESTAMP date "%a, %d %b %Y 00:00:00 +0000" UTC)
file(WRITE ${DOCUMENTS}/changelog "weir (${VERSION}) unstable; urgency=medium

  * As built from the sources of Weir.

 -- The Weir authors <weir@localhost>  ${date}
")
execute_process(COMMAND gzip -9nf ${DOCUMENTS}/changelog COMMAND_ERROR_IS_FATAL ANY)
