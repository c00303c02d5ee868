# Completions of weir for bash, and for zsh after `autoload bashcompinit && bashcompinit`.
# Written by `./dev reference`.
_weir() {
  local path="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "${path:+$path }$word" in
      "run" | "resume" | "fork" | "validate" | "list" | "list topology" | "demo" | "bench" | "theory" | "theory max-min" | "theory alpha-fair" | "theory pareto" | "theory queue" | "theory sampling" | "theory spraying" | "import" | "import ns3" | "import htsim" | "import host" | "sweep" | "compare" | "report" | "view" | "paper" | "paper list" | "paper why" | "paper run" | "paper check" | "policy" | "policy show" | "policy compare" | "policy bench" | "policy quantise" | "policy distil" | "train") path="${path:+$path }$word" ;;
    esac
  done
  local current=${COMP_WORDS[COMP_CWORD]} words=""
  case "$path" in
    "") words="run resume fork validate list demo bench theory import sweep compare report view paper policy train -h --help --version" ;;
    "run") words="-h --help -o --out --format --json -q --quiet --seed --set --plugin --threads --memory --checkpoint --checkpoint-seconds --view-data --view-paused --view --steer --pcap --pcap-at --pcap-flow --pcap-from --pcap-until --pcap-snaplen --pcap-ipv6 --trace --trace-at --trace-flow --trace-from --trace-until --trace-interval --trace-engine" ;;
    "resume") words="-h --help --threads --memory --checkpoint --checkpoint-seconds --format --json -q --quiet --plugin" ;;
    "fork") words="-h --help --at --set --plugin -o --out --format --json -q --quiet --threads --memory --checkpoint --checkpoint-seconds" ;;
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
    "theory sampling") words="-h --help --rtt --acks --mtu --beta --fast --slow --step --until --json" ;;
    "theory spraying") words="-h --help --q --t_s --t_l --mss --ai --max_mdf --beta --target --fs_range --fs_min_cwnd --fs_max_cwnd --base_rtt --bdp --fi --fd --json" ;;
    "import") words="ns3 htsim host -h --help" ;;
    "import ns3") words="-h --help -o --out --exact" ;;
    "import htsim") words="-h --help -o --out --exact --goal-unit" ;;
    "import host") words="-h --help -o --out --rate --buffer --gap --T" ;;
    "sweep") words="-h --help --only --list --fresh -o --out --json -q --quiet -j --jobs --memory --seeds --plugin --checkpoint-seconds --shard --claim --lease --since --collect --executor --workers --retries --sbatch" ;;
    "compare") words="-h --help --axis --base --only --json" ;;
    "report") words="-h --help -o --out --svg" ;;
    "view") words="-h --help -o --out" ;;
    "paper") words="list why run check -h --help" ;;
    "paper list") words="-h --help --papers" ;;
    "paper why") words="-h --help --papers" ;;
    "paper run") words="-h --help --papers --policy --list --fresh --seeds --set -o --out -q --quiet -j --jobs --memory" ;;
    "paper check") words="-h --help --papers --tier --only --fresh --update -o --out -q --quiet --json -j --jobs --memory" ;;
    "policy") words="show compare bench quantise distil -h --help" ;;
    "policy show") words="-h --help" ;;
    "policy compare") words="-h --help" ;;
    "policy bench") words="-h --help" ;;
    "policy quantise") words="-h --help -o --out --calibration --share --headroom" ;;
    "policy distil") words="-h --help -o --out --calibration --depth --leaf" ;;
    "train") words="-h --help -o --out --resume --threads --seed -q --quiet" ;;
  esac
  case "$current" in -*) ;; *) [ "$path" = "" ] || COMPREPLY=($(compgen -f -- "$current")) ;; esac
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _weir weir
