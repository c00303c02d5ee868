# Functions for cases with weir-host: an agent in each host, whose files are in /run/weir-HOST.

threshold="1 ms"

# Writes the configuration of a host: MODE FAMILY INTERFACE; then lines of its own.
agent_config() { # HOST MODE FAMILY INTERFACE EXTRA
  echo "interface = \"$4\""
  echo "mode = \"$2\""
  echo "T = \"$threshold\""
  echo 'segment = "keep"'
  echo 'key_file = "/run/weir.key"'
  echo "$5"
  echo '[metrics]'
  echo 'listen = "off"'
  plan_hosts "$3" | while read -r _ other address; do
    [ "$other" = "$1" ] || printf '[[peer]]\naddress = "%s"\n' "$address"
  done
}

# Starts the agent of a host that has been configured, and leaves its process in /run/weir-HOST.pid.
agent_start() { # HOST
  ip netns exec "$1" sh -c "mount -t bpf bpf /sys/fs/bpf; exec weir-host up --run /run/weir-$1 --config /run/weir-$1.toml" &
  echo $! > "/run/weir-$1.pid"
}

agent() { # HOST COMMAND...
  agent_of=$1
  shift
  agent_command=$1
  shift
  in_ns "$agent_of" weir-host "$agent_command" --run "/run/weir-$agent_of" "$@"
}

# Waits until all agents hold (or observe) all peers, for ten seconds at most.
agents_wait() { # STATE
  for host in $hosts; do
    tries=0
    until [ "$(agent "$host" status --json 2> /dev/null | grep -o "\"$1\"" | wc -l)" -ge 4 ]; do
      tries=$((tries + 1))
      if [ $tries -ge 50 ]; then
        echo "the agent of $host does not come to \"$1\":" >&2
        agent "$host" status >&2 || true
        return 1
      fi
      sleep 0.2
    done
  done
}

agents_up() { # MODE [FAMILY [INTERFACE [EXTRA]]]
  [ -e /run/weir.key ] || weir-host key /run/weir.key
  for host in $hosts; do
    agent_config "$host" "$1" "${2:-4}" "${3:-eth0}" "${4:-}" > "/run/weir-$host.toml"
    agent_start "$host"
  done
  if [ "$1" = observe ]; then agents_wait observed; else agents_wait held; fi
}

agents_off() {
  for host in $hosts; do agent "$host" off; done
  wait
}

# One line of JSON a host: what its agent has counted.
agents_report() {
  for host in $hosts; do
    echo "{\"status\": \"$host\", \"agent\": $(agent "$host" status --json | tr -d '\n')}"
  done
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
