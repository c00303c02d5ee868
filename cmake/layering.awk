# An include may only point down the layers, from the top:
#   claims > learn, study; run > study > scenario > probe, replica, fluid > engine > traffic > host > net > cc, sim, theory > base;
#   cc > policy > base; host and above may include policy, too;
#   learn, gym > scenario; perfetto > capture > probe > view > anatomy > engine, result; study, report > figure > result > base; probe > result.
# On real hosts: hosts/agent > hosts/bpf, hosts/queue > hosts/wire > hosts/path; hosts/agent > hosts/clock > hosts/path.
# Each layer names all that it may include; a few single headers are interfaces between layers.
BEGIN {
  below["base"] = "base"
  below["result"] = "result base"
  below["figure"] = "figure result base"
  below["sim"] = "sim base"
  below["policy"] = "policy base"
  below["cc"] = "cc policy base"
  below["theory"] = "theory base"
  below["net"] = "net sim base"
  below["host"] = "host net cc policy sim base"
  below["traffic"] = "traffic base"
  below["engine"] = "engine traffic host net cc policy sim theory base"
  below["fluid"] = "fluid engine traffic host net cc policy sim theory base"
  below["replica"] = "replica engine traffic host net cc policy sim theory base"
  below["anatomy"] = "anatomy engine traffic host net cc policy sim theory result base"
  below["view"] = "view anatomy engine traffic host net cc policy sim theory result base"
  below["probe"] = "probe view anatomy engine traffic host net cc policy sim theory result base"
  below["capture"] = "capture probe engine traffic host net cc policy sim theory result base"
  below["perfetto"] = "perfetto capture probe engine traffic host net cc policy sim theory result base"
  below["report"] = "report figure policy result base"
  below["scenario"] = "scenario replica fluid probe engine traffic host net cc policy sim theory result base"
  below["study"] = "study scenario replica fluid probe engine traffic host net cc policy sim theory figure result base"
  below["learn"] = "learn scenario replica fluid probe engine traffic host net cc policy sim theory result base"
  below["run"] = "run study scenario replica fluid probe engine traffic host net cc policy sim theory figure result base"
  below["api"] = "catalogue.h scenario.h simulation.h run study scenario replica fluid probe engine traffic host net cc policy sim theory result base"
  below["claims"] = "claims learn study scenario replica fluid probe engine traffic host net cc policy sim theory result base"
  below["gym"] = "gym scenario.h scenario replica fluid probe engine traffic host net cc policy sim theory result base"

  below["hosts/path"] = "hosts/path"
  below["hosts/wire"] = "hosts/wire hosts/path"
  below["hosts/clock"] = "hosts/clock hosts/path"
  below["hosts/bpf"] = "hosts/bpf hosts/wire hosts/path"
  below["hosts/queue"] = "hosts/queue hosts/wire hosts/path"
  below["hosts/agent"] = "hosts/agent hosts/bpf hosts/queue hosts/clock hosts/wire hosts/path base"

  also["hosts/bpf"] = "cc/on_ramp_rule.h"
  also["hosts/queue"] = "cc/on_ramp_rule.h"
  also["hosts/agent"] = "scenario/reader.h scenario/toml_parser.h"
  also["host"] = "traffic/flow.h"
  also["traffic"] = "net/topology.h"
  also["report"] = "scenario/toml_parser.h"
  also["policy"] = "scenario/document.h scenario/reader.h scenario/toml_parser.h scenario/toml_writer.h"
}
FNR == 1 {
  layer = ""
  if (FILENAME ~ /^(src|include)\/weir\/[a-z]+\//) {
    split(FILENAME, part, "/")
    layer = part[3]
    if (!(layer in below)) complain("the layer '" layer "' is unknown")
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
  if (index(" " below[layer] " ", " " target " ") == 0 && index(" " also[layer] " ", " " header " ") == 0)
    complain(layer " may not include " header)
}
function complain(what) {
  printf "%s:%d: %s\n", FILENAME, FNR, what
  bad = 1
}
END { exit bad }
