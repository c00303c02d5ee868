# Functions for cases with weir-host: an agent in each host, whose files are in /run/weir-HOST.

threshold="1 ms"
segments=keep  # super-packets as the lab made them; auto: as agents want them

# Writes the configuration of a host: MODE FAMILY INTERFACE; then lines of its own.
agent_config() { # HOST MODE FAMILY INTERFACE EXTRA
  echo "interface = \"$4\""
  echo "mode = \"$2\""
  echo "T = \"$threshold\""
  echo "segment = \"$segments\""
  [ "$segments" = keep ] || echo 'rate = "100 Mbps"'
  echo 'key_file = "/run/weir.key"'
  echo "$5"
  echo '[metrics]'
  echo 'listen = "off"'
  plan_hosts "$3" | while read -r _ other address; do
    [ "$other" = "$1" ] || printf '[[peer]]\naddress = "%s"\n' "$address"
  done
}

# weir-host of a host; /sys of `ip netns exec` has no /sys/fs/bpf.
agent() { # HOST COMMAND...
  agent_of=$1
  shift
  in_ns "$agent_of" sh -c 'mount -t bpf bpf /sys/fs/bpf; exec weir-host "$@"' - \
    --run "/run/weir-$agent_of" --config "/run/weir-$agent_of.toml" "$@"
}

agent_process() { # HOST
  agent "$1" status --json | sed -n 's/^ *"pid": *\([0-9]*\),*$/\1/p'
}

# Waits until all agents hold (or observe) all peers, so many times 0.2 seconds at most.
agents_wait() { # STATE TRIES [HOST...]
  state=$1
  most=$2
  shift 2
  peers=$(($(echo $hosts | wc -w) - 1))
  for host in ${*:-$hosts}; do
    tries=0
    until [ "$(agent "$host" peers --json 2> /dev/null | grep -c "\"state\": \"$state\"")" -eq $peers ]; do
      tries=$((tries + 1))
      if [ $tries -ge "$most" ]; then
        echo "the agent of $host does not come to \"$state\":" >&2
        agent "$host" status >&2 || true
        cat "/run/weir-$host/log" >&2
        return 1
      fi
      sleep 0.2
    done
  done
}

agents_up() { # MODE [FAMILY [INTERFACE [EXTRA]]]
  if [ ! -e /run/weir.key ]; then
    (umask 077 && echo 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f > /run/weir.key)
  fi
  for host in $hosts; do
    agent_config "$host" "$1" "${2:-4}" "${3:-eth0}" "${4:-}" > "/run/weir-$host.toml"
    agent "$host" up >&2
  done
  if [ "$1" = observe ]; then agents_wait observed 100; else agents_wait held 100; fi
}

agents_off() {
  for host in $hosts; do agent "$host" off >&2; done
}

# One line of JSON a host: what its agent has counted.
agents_report() {
  for host in $hosts; do
    echo "{\"status\": \"$host\", \"agent\": $(agent "$host" status --json | tr -d '\n')}"
  done
}

# Processor time of all agents and their watchdogs until now, ns.
agents_time() {
  for process in /proc/[0-9]*; do
    case $(cat "$process/comm" 2> /dev/null) in
      weir-host | weir-watchdog) cut -d" " -f1 "$process"/task/*/schedstat ;;
    esac
  done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# Their share of a processor for so many seconds, of a host in the mean, in percent.
agents_share() { # LABEL SECONDS
  before=$(agents_time)
  sleep "$2"
  after=$(agents_time)
  awk -v label="$1" -v ns=$((after - before)) -v seconds="$2" -v hosts="$(echo $hosts | wc -w)" \
    'BEGIN { printf "{\"share\": \"%s\", \"percent\": %.4f}\n", label, ns / seconds / hosts / 1e7 }'
}

# All that an agent may change, of all hosts.
snapshot() {
  for ns in $hosts; do
    echo "== $ns"
    ip -n "$ns" -d link show
    tc -n "$ns" qdisc show
    in_ns "$ns" sh -c '
      for device in $(ls /sys/class/net); do
        tc filter show dev "$device" ingress
        tc filter show dev "$device" egress
        tc filter show dev "$device"
      done
      iptables-save | grep -v "^#"
      ip6tables-save | grep -v "^#"
      ip addr show | grep -v valid_lft
      ip route show
      ip -6 route show
      cat /proc/net/netfilter/nfnetlink_queue'
  done
  echo "== programs and maps"
  bpftool prog show | grep -v "^[[:space:]]" | cut -d" " -f2- || true
  bpftool map show | grep -v "^[[:space:]]" | cut -d" " -f2- || true
}

# What an agent leaves behind: differences between two snapshots, as JSON.
trace_between() { # LABEL BEFORE AFTER
  diff "$2" "$3" > /run/difference || cat /run/difference >&2
  echo "{\"trace\": \"$1\", \"lines\": $(grep -c '^[-+][^-+]' /run/difference || true)}"
}

# Stops, continues, kills and restarts agents while something runs; says how often, and how often all was held again
# within some seconds.
faults() { # ROUNDS
  again=0
  for round in $(seq "$1"); do
    for host in h1 r h2; do
      process=$(agent_process $host)
      kill -STOP "$process"
      sleep 0.8
      kill -CONT "$process"
      sleep 0.4
      kill -KILL "$process"
      sleep 0.8
      agent $host up >&2
      if agents_wait held 15 $host; then again=$((again + 1)); fi
    done
  done
  echo "{\"faults\": $(($1 * 6)), \"restarts\": $(($1 * 3)), \"held_again\": $again}"
}
