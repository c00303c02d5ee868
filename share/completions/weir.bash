# Completions of weir for bash. Written by `./dev reference`.
_weir() {
  local at="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "${at:+$at }$word" in
      "run" | "resume" | "fork" | "validate" | "list" | "list topology" | "demo" | "bench" | "theory" | "theory max-min" | "theory alpha-fair" | "theory pareto" | "theory queue" | "theory sampling" | "theory spraying" | "import" | "import ns3" | "import htsim" | "import host" | "sweep" | "compare" | "report" | "view" | "paper" | "paper list" | "paper why" | "paper run" | "paper check" | "policy" | "policy show" | "policy compare" | "policy bench" | "policy quantise" | "policy distil" | "train") at="${at:+$at }$word" ;;
    esac
  done
  local current=${COMP_WORDS[COMP_CWORD]} words=""
  COMPREPLY=()
  case "$at ${COMP_WORDS[COMP_CWORD-1]}" in
    "run --format") COMPREPLY=($(compgen -W "csv parquet" -- "$current")); return ;;
    "resume --format") COMPREPLY=($(compgen -W "csv parquet" -- "$current")); return ;;
    "fork --format") COMPREPLY=($(compgen -W "csv parquet" -- "$current")); return ;;
    "sweep --executor") COMPREPLY=($(compgen -W "local slurm" -- "$current")); return ;;
  esac
  case "$at" in
    "") words="run resume fork validate list demo bench theory import sweep compare report view paper policy train host -h --help --version" ;;
    "run") words="-h --help -o --out --seed --set --threads --checkpoint --checkpoint-seconds --memory --format --plugin --json -q --quiet --view-data --view-paused --view --steer --pcap --pcap-at --pcap-flow --pcap-from --pcap-until --pcap-snaplen --pcap-ipv6 --trace --trace-at --trace-flow --trace-from --trace-until --trace-interval --trace-engine" ;;
    "resume") words="-h --help --threads --checkpoint --checkpoint-seconds --memory --format --plugin --json -q --quiet" ;;
    "fork") words="-h --help --at --set -o --out --threads --checkpoint --checkpoint-seconds --memory --format --plugin --json -q --quiet" ;;
    "validate") words="-h --help --set --memory --plugin --json --effective" ;;
    "list") words="topology -h --help --plugin --json --markdown" ;;
    "list topology") words="-h --help --set --paths --json --graph --svg" ;;
    "demo") words="-h --help --duration --seed -o --out --json -q --quiet" ;;
    "bench") words="-h --help --case --repeat --json --list --mpi --threads" ;;
    "theory") words="max-min alpha-fair pareto queue sampling spraying -h --help" ;;
    "theory max-min") words="-h --help --json" ;;
    "theory alpha-fair") words="-h --help --json --alpha" ;;
    "theory pareto") words="-h --help --json --target --increase --steps" ;;
    "theory queue") words="-h --help --json --sources --load" ;;
    "theory sampling") words="-h --help --json --rtt --acks --mtu --beta --fast --slow --step --until" ;;
    "theory spraying") words="-h --help --json --q --t_s --t_l --mss --ai --max_mdf --beta --target --fs_range --fs_min_cwnd --fs_max_cwnd --base_rtt --bdp --fi --fd" ;;
    "import") words="ns3 htsim host -h --help" ;;
    "import ns3") words="-h --help -o --out --exact" ;;
    "import htsim") words="-h --help -o --out --exact --goal-unit" ;;
    "import host") words="-h --help -o --out --rate --buffer --gap --T" ;;
    "sweep") words="-h --help -o --out -j --jobs --memory --only --seeds --checkpoint-seconds --plugin --shard --claim --lease --since --collect --executor --workers --retries --sbatch --list --fresh --json -q --quiet" ;;
    "compare") words="-h --help --axis --base --only --json" ;;
    "report") words="-h --help -o --out --svg" ;;
    "view") words="-h --help -o --out" ;;
    "paper") words="list why run check -h --help" ;;
    "paper list") words="-h --help --papers" ;;
    "paper why") words="-h --help --papers" ;;
    "paper run") words="-h --help --papers --policy --seeds --set --list -o --out -j --jobs --memory --fresh -q --quiet" ;;
    "paper check") words="-h --help --papers --tier --only -o --out -j --jobs --memory --fresh -q --quiet --json --update" ;;
    "policy") words="show compare bench quantise distil -h --help" ;;
    "policy show") words="-h --help" ;;
    "policy compare") words="-h --help" ;;
    "policy bench") words="-h --help" ;;
    "policy quantise") words="-h --help -o --out --calibration --share --headroom" ;;
    "policy distil") words="-h --help -o --out --calibration --leaves --depth --leaf --rounds" ;;
    "train") words="-h --help -o --out --resume --threads --seed -q --quiet" ;;
  esac
  case "$current" in -*) ;; *) [ "$at" = "" ] || COMPREPLY=($(compgen -f -- "$current")) ;; esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _weir weir
