# An include may only point down the layers, from the top:
#   claims > learn, study; sweep > run, study; import, run, study > scenario > probe, replica, fluid > engine > host > traffic > net;
#   net > sim > base; host, engine > cc, theory > base;
#   cc > policy > toml > base; host and above may include policy, too;
#   learn, gym > scenario; perfetto > capture > probe > view > anatomy > engine, result; study, report > figure > result > base; probe > result.
# Within engine and net, whose folders are layers too:
#   engine: time > parallel > partition > prefetch > endings, skip > trace > model; net: switch > port > link, model.
# On real hosts: hosts/agent > hosts/bpf, hosts/queue > hosts/wire > hosts/path; hosts/agent > hosts/clock > hosts/path.
# Each layer names all that it may include; a header of C, which the kernel's programs compile as well, is apart.
# Between libraries, an include goes only to one that the including one stands on: the lines weir_library() of
# cmake/libraries.cmake, the first file to read, say which.
BEGIN {
  below["base"] = "base"
  below["toml"] = "toml base"
  below["result"] = "result base"
  below["figure"] = "figure result base"
  below["sim"] = "sim base"
  below["policy"] = "policy toml base"
  below["cc"] = "cc policy toml base"
  below["theory"] = "theory base"
  below["net"] = "net sim base"
  below["host"] = "host traffic net cc policy sim base"
  below["traffic"] = "traffic net base"
  below["engine"] = "engine host traffic net cc policy toml sim theory base"
  below["fluid"] = "fluid engine host traffic net cc policy toml sim theory base"
  below["replica"] = "replica engine host traffic net cc policy toml sim theory base"
  below["anatomy"] = "anatomy engine host traffic net cc policy toml sim theory result base"
  below["view"] = "view anatomy engine host traffic net cc policy toml sim theory result base"
  below["probe"] = "probe view anatomy engine host traffic net cc policy toml sim theory result base"
  below["capture"] = "capture probe engine host traffic net cc policy toml sim theory result base"
  below["perfetto"] = "perfetto capture probe engine host traffic net cc policy toml sim theory result base"
  below["report"] = "report figure policy toml result base"
  below["scenario"] = "scenario replica fluid probe engine host traffic net cc policy toml sim theory result base"
  below["import"] = "import scenario replica fluid probe engine host traffic net cc policy toml sim theory result base"
  below["study"] = "study scenario replica fluid probe engine host traffic net cc policy toml sim theory figure result base"
  below["learn"] = "learn scenario replica fluid probe engine host traffic net cc policy toml sim theory result base"
  below["run"] = "run scenario replica fluid probe engine host traffic net cc policy toml sim theory result base"
  below["sweep"] = "sweep run study scenario replica fluid probe engine host traffic net cc policy toml sim theory figure result base"
  below["api"] = "catalogue.h scenario.h simulation.h run scenario replica fluid probe engine host traffic net cc policy toml sim theory result base"
  below["claims"] = "claims learn study scenario replica fluid probe engine host traffic net cc policy toml sim theory result base"
  below["gym"] = "gym scenario.h scenario replica fluid probe engine host traffic net cc policy toml sim theory result base"

  below["hosts/path"] = "hosts/path"
  below["hosts/wire"] = "hosts/wire hosts/path"
  below["hosts/clock"] = "hosts/clock hosts/path"
  below["hosts/bpf"] = "hosts/bpf hosts/wire hosts/path"
  below["hosts/queue"] = "hosts/queue hosts/wire hosts/path"
  below["hosts/agent"] = "hosts/agent hosts/bpf hosts/queue hosts/clock hosts/wire hosts/path toml base"

  also["hosts/bpf"] = "cc/on_ramp_rule.h"
  also["hosts/queue"] = "cc/on_ramp_rule.h"

  within["net/link"] = "net/link"
  within["net/model"] = "net/model"
  within["net/port"] = "net/port net/link"
  within["net/switch"] = "net/switch net/port net/link net/model"
  within["engine/model"] = "engine/model"
  within["engine/trace"] = "engine/trace"
  within["engine/skip"] = "engine/skip engine/model"
  within["engine/endings"] = "engine/endings engine/model"
  within["engine/prefetch"] = "engine/prefetch engine/model"
  within["engine/partition"] = "engine/partition engine/prefetch engine/skip engine/model"
  within["engine/parallel"] = "engine/parallel engine/partition engine/skip engine/trace engine/model"
  within["engine/time"] = "engine/time engine/parallel engine/partition engine/endings engine/skip engine/trace engine/model"
}
# A library and its folders.
/^ *weir_library\(/ && FILENAME == "cmake/libraries.cmake" {
  gsub(/^ *weir_library\(|\).*/, "")
  words = split($0, word, " ")
  name = word[1]
  stands_on[name, name] = 1
  part_of_line = ""
  for (i = 2; i <= words; ++i)
    if (word[i] ~ /^[A-Z]+$/) part_of_line = word[i]
    else if (part_of_line == "ON") {
      for (pair in stands_on)
        if (index(pair, word[i] SUBSEP) == 1) reached[substr(pair, length(word[i]) + 2)] = 1
      for (library in reached) stands_on[name, library] = 1
      delete reached
    } else library_of[word[i]] = name
  library_of["catalogue.h"] = library_of["scenario.h"] = library_of["simulation.h"] = library_of["api"]
}
FNR == 1 {
  layer = folder = ""
  if (FILENAME ~ /^(src|include)\/weir\/[a-z]+\//) {
    parts = split(FILENAME, part, "/")
    layer = part[3]
    if (parts > 4) folder = part[3] "/" part[4]
    if (!(layer in below)) complain("the layer '" layer "' is unknown")
    if (folder != "" && !(folder in within)) complain("the folder '" folder "' is unknown")
  } else if (FILENAME ~ /^hosts\/[a-z]+\//) {
    split(FILENAME, part, "/")
    layer = "hosts/" part[2]
    if (!(layer in below)) complain("the layer '" layer "' is unknown")
  }
}
layer in below && /^[ \t]*#[ \t]*include[ \t]*"(weir|hosts)\// {
  header = $0
  sub(/^[^"]*"(weir\/)?/, "", header)
  sub(/".*/, "", header)
  target = header
  sub(/\/[^\/]*$/, "", target)
  above = layer ~ /\// ? target : target == header ? header : substr(target "/", 1, index(target "/", "/") - 1)
  if (index(" " below[layer] " ", " " above " ") == 0 && index(" " also[layer] " ", " " header " ") == 0)
    complain(layer " may not include " header)
  else if (layer in library_of && !((library_of[layer], library_of[above]) in stands_on))
    complain("weir_" library_of[layer] " does not stand on weir_" library_of[above] ", which " header " belongs to")
  else if (folder != "" && above == layer && target != layer && index(" " within[folder] " ", " " target " ") == 0)
    complain(folder " may not include " header)
}
function complain(what) {
  printf "%s:%d: %s\n", FILENAME, FNR, what
  bad = 1
}
END { exit bad }
