# Functions for cases: hosts h1 h2 h3 h4 and r around the switch sw, each a network namespace.
#
# The switch routes. On a bridge TCP small queues would see the bottleneck, since the skb keeps its socket until a host
# or a router takes it in, and congestion would never form. The rate of a host's NIC is that of its link: tbf with fq as
# its leaf, so that fq has a queue, as behind a real NIC.

rate=100mbit         # of all links
buffer=1000000       # bytes of the switch's buffer at each port
segment=4344         # bytes of TCP data in a super-packet: 3 segments of 1448
leaf=fq              # what is behind a host's NIC
control=cubic
limit_output=        # bytes of a flow that TCP hands down at most (where fq does not pace); the kernel's
vlan=                # number of a VLAN that all hosts are in; none
receive_on=          # mask of processors that what arrives at hosts is dealt to; one
tbf_burst=6000       # bytes; a super-packet has 4542 with the headers of its packets
hosts="h1 h2 h3 h4 r"

# The kernel subtracts MAX_TCP_HEADER + 1 = 321 from gso_max_size before it counts TCP's data.
gso_of() { echo $(($1 + 321)); }

in_ns() { # NAMESPACE COMMAND...
  ns=$1
  shift
  ip netns exec "$ns" "$@"
}

settle() { # NAMESPACE
  in_ns "$1" sh -c "
    ip link set lo up
    sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.default.accept_ra=0
    sysctl -qw net.ipv6.conf.default.router_solicitations=0 net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_timestamps=2
    sysctl -qw net.ipv4.tcp_congestion_control=$control
    [ -z '$limit_output' ] || sysctl -qw net.ipv4.tcp_limit_output_bytes=$limit_output"
}

# A device and its address, or the VLAN on it.
device_up() { # NAMESPACE DEVICE NUMBER LAST
  ip -n "$1" link set "$2" gso_max_size "$(gso_of $segment)" up
  named=$2
  if [ -n "$vlan" ]; then
    named=$2.$vlan
    ip -n "$1" link add link "$2" name "$named" type vlan id "$vlan"
    ip -n "$1" link set "$named" gso_max_size "$(gso_of $segment)" up
  fi
  ip -n "$1" addr add "10.77.$3.$4/24" dev "$named"
  ip -n "$1" addr add "fd77:0:0:$3::$4/64" dev "$named" nodad
}

lab_up() {
  ip netns add sw
  settle sw
  in_ns sw sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
  number=0
  for host in $hosts; do
    number=$((number + 1))
    ip netns add "$host"
    settle "$host"
    ip link add eth0 netns "$host" type veth peer name "p_$host" netns sw
    device_up "$host" eth0 $number 2
    device_up sw "p_$host" $number 1
    [ -z "$receive_on" ] || in_ns "$host" sh -c "echo $receive_on > /sys/class/net/eth0/queues/rx-0/rps_cpus"
    ip -n "$host" route add default via "10.77.$number.1"
    ip -n "$host" route add default via "fd77:0:0:$number::1"
    tc -n "$host" qdisc add dev eth0 root handle 1: tbf rate $rate burst $tbf_burst limit 1000000
    tc -n "$host" qdisc add dev eth0 parent 1:1 handle 10: $leaf
    tc -n sw qdisc add dev "p_$host" root handle 1: tbf rate $rate burst $tbf_burst limit $buffer
  done
}

lab_down() {
  for ns in $hosts sw; do ip netns del "$ns"; done
}

# The hosts for a plan of lab-load; with 6 as its argument their IPv6 addresses.
plan_hosts() {
  number=0
  for host in $hosts; do
    number=$((number + 1))
    if [ "${1:-4}" = 6 ]; then echo "host $host fd77:0:0:$number::2"; else echo "host $host 10.77.$number.2"; fi
  done
}

# What is found instead of what was asked for: each value once, with blanks between.
each() { sort -u | tr '\n' ' ' | sed 's/ $//'; }

rates() { # NAMESPACE DEVICE
  tc -n "$1" qdisc show dev "$2" root | sed -n 's/.* rate \([^ ]*\) .*/\1/p'
}

gso_sizes() { # NAMESPACE
  ip -n "$1" -d link show type veth | sed -n 's/.* gso_max_size \([0-9]*\) .*/\1/p'
}

# What joins the hosts' links.
switch_does() {
  if [ -n "$(ip -n sw link show type bridge)" ]; then echo bridges; return; fi
  case "$(in_ns sw sysctl -n net.ipv4.ip_forward net.ipv6.conf.all.forwarding | each)" in
    1) echo routes ;;
    *) echo nothing ;;
  esac
}

# The settings that any result has to be read with, as they are now.
settings() {
  echo "\"kernel\": \"$(uname -r)\", \"switch\": \"$(switch_does)\"," \
    "\"nic_rate\": \"$(for host in $hosts; do rates "$host" eth0; done | each)\"," \
    "\"link_rate\": \"$(for host in $hosts; do rates sw "p_$host"; done | each)\"," \
    "\"gso_max_size\": \"$(for ns in sw $hosts; do gso_sizes "$ns"; done | each)\"," \
    "\"buffer\": $buffer, \"segment\": $segment, \"leaf\": \"$leaf\", \"vlan\": \"$vlan\", \"control\": \"$control\""
}

# Runs lab-load with the plan on standard input; prints one line of JSON with the label and the settings.
load() { # LABEL
  plan=$(mktemp)
  cat > "$plan"
  status=0
  result=$(lab-load "$plan") || status=$?
  [ -n "$result" ] || return $status
  echo "{\"case\": \"$1\", $(settings)${extra:+, $extra}, ${result#?}"
  return $status
}
