-- Shows in Wireshark and tshark what captures of Weir (weir run --pcap) have beyond the protocols that they know:
-- HPCC's INT header, UET's packet delivery sublayer, selective acknowledgements of IRN, OR-ACKs of On-Ramp, and Weir's
-- own facts about each packet.
--
--   tshark -X lua_script:share/wireshark/weir.lua -r captures/host-0.pcapng
--
-- Wireshark loads it at each start from its folder of personal Lua plugins (Help, About, Folders).

local weir = Proto("weir", "Weir, packet-level simulator")
local int = Proto("hpcc_int", "HPCC in-band network telemetry")
local uet_pds = Proto("weir_uet", "Ultra Ethernet, packet delivery sublayer")
local irn = Proto("weir_irn", "Selective acknowledgement of RoCEv2 (IRN)")

local UDP_ROCEV2, UDP_UET, UDP_WEIR = 4791, 4793, 62111
local HOPS = 5
local INT_BYTES = 2 + 8 * HOPS

-- Weir's facts: the comment of each packet has them, and the datagrams that have no standard.
local kinds = { [1] = "OR-ACK", [2] = "probe", [3] = "echo", [4] = "CNP", [5] = "credit" }
local w = {
  flow = ProtoField.uint64("weir.flow", "Flow", base.DEC, nil, nil, "Number of the flow, as in flows.csv"),
  wire = ProtoField.uint32("weir.wire", "Size on the simulated wire", base.DEC, nil, nil, "In bytes"),
  queued = ProtoField.uint32("weir.queued", "Waiting behind it", base.DEC, nil, nil,
    "Bytes that wait at the port when the packet begins to leave"),
  entropy = ProtoField.uint32("weir.entropy", "Entropy", base.HEX, nil, nil, "By which switches choose the path"),
  again = ProtoField.bool("weir.retransmission", "Sent again"),
  kind = ProtoField.uint8("weir.kind", "Kind", base.DEC, kinds),
  version = ProtoField.uint8("weir.version", "Version"),
  class = ProtoField.uint8("weir.class", "Traffic class"),
  of_flow = ProtoField.uint32("weir.of_flow", "Flow"),
  seq = ProtoField.uint64("weir.seq", "First byte of the packet that it is about"),
  arrived = ProtoField.int64("weir.or_ack.arrived", "Arrival in ps", base.DEC, nil, nil,
    "When the packet arrived, by the receiver's clock, in picoseconds (On-Ramp, NSDI 2021, section 3)"),
  sent = ProtoField.int64("weir.sent", "Sent in ps", base.DEC, nil, nil, "When the probe was sent, in picoseconds"),
}
weir.fields = { w.flow, w.wire, w.queued, w.entropy, w.again, w.kind, w.version, w.class, w.of_flow, w.seq, w.arrived,
  w.sent }

-- The INT header of HPCC (SIGCOMM 2019, section 4.1 and figure 7).
local speeds = { [0] = "25 Gb/s", [1] = "50 Gb/s", [2] = "100 Gb/s", [3] = "200 Gb/s", [4] = "400 Gb/s",
  [5] = "10 Gb/s", [6] = "40 Gb/s", [7] = "800 Gb/s", [8] = "1 Gb/s", [15] = "no code" }
local i = {
  hops = ProtoField.uint16("hpcc_int.nhop", "nHop", base.DEC, nil, 0xf000),
  path = ProtoField.uint16("hpcc_int.pathid", "pathID", base.HEX, nil, 0x0fff),
  speed = ProtoField.uint8("hpcc_int.b", "B", base.DEC, speeds, 0xf0),
  time = ProtoField.uint32("hpcc_int.ts", "TS", base.DEC, nil, nil, "Departure in ns, modulo 2^24"),
  sent = ProtoField.uint32("hpcc_int.txbytes", "txBytes", base.DEC, nil, nil,
    "Bytes sent by the port, in units of 128 bytes times transport.int_multiplier, modulo 2^20"),
  queue = ProtoField.uint32("hpcc_int.qlen", "qLen", base.DEC, nil, nil,
    "Queue of the port, in units of 80 bytes times transport.int_multiplier"),
}
int.fields = { i.hops, i.path, i.speed, i.time, i.sent, i.queue }

local function show_int(tvb, tree)
  if tvb:len() < INT_BYTES then return end
  local part = tree:add(int, tvb(0, INT_BYTES))
  part:add(i.hops, tvb(0, 2))
  part:add(i.path, tvb(0, 2))
  local hops = math.min(tvb(0, 1):bitfield(0, 4), HOPS)
  for n = 0, hops - 1 do
    local word = tvb(2 + 8 * n, 8)
    local hop = part:add(word, "Hop " .. (n + 1))
    hop:add(i.speed, word(0, 1))
    hop:add(i.time, word(0, 4), word:bitfield(4, 24))
    hop:add(i.sent, word(3, 3), word:bitfield(28, 20))
    hop:add(i.queue, word(6, 2))
  end
end

-- UET (Ultra Ethernet Specification 1.0, section 3.5.10).
local types = { [2] = "RUD Request", [7] = "ACK", [8] = "ACK_CC", [10] = "NACK" }
local codes = { [0x01] = "UET_TRIMMED", [0x0d] = "UET_ROD_OOO" }
local u = {
  type = ProtoField.uint16("uet.pds.type", "pds.type", base.DEC, types, 0xf800),
  next = ProtoField.uint16("uet.pds.next_hdr", "pds.next_hdr", base.DEC, { [0] = "UET_HDR_NONE" }, 0x0780),
  flags = ProtoField.uint16("uet.pds.flags", "pds.flags", base.HEX, nil, 0x007f),
  int = ProtoField.bool("uet.pds.flags.int", "INT follows (Weir's use of a reserved flag)", 16, nil, 0x0040),
  retx = ProtoField.bool("uet.pds.flags.retx", "pds.flags.retx", 16, nil, 0x0010),
  ar = ProtoField.bool("uet.pds.flags.ar", "pds.flags.ar", 16, nil, 0x0008),
  marked = ProtoField.bool("uet.pds.flags.m", "pds.flags.m", 16, nil, 0x0020),
  clear = ProtoField.int16("uet.pds.clear_psn_offset", "pds.clear_psn_offset"),
  psn = ProtoField.uint32("uet.pds.psn", "pds.psn"),
  ack_offset = ProtoField.int16("uet.pds.ack_psn_offset", "pds.ack_psn_offset"),
  cack = ProtoField.uint32("uet.pds.cack_psn", "pds.cack_psn"),
  nack_code = ProtoField.uint8("uet.pds.nack_code", "pds.nack_code", base.HEX, codes),
  vendor = ProtoField.uint8("uet.pds.vendor_code", "pds.vendor_code", base.HEX),
  nack_psn = ProtoField.uint32("uet.pds.nack_psn", "pds.nack_psn"),
  payload = ProtoField.uint32("uet.pds.payload", "pds.payload", base.HEX),
  spdcid = ProtoField.uint16("uet.pds.spdcid", "pds.spdcid"),
  dpdcid = ProtoField.uint16("uet.pds.dpdcid", "pds.dpdcid"),
  cc_type = ProtoField.uint8("uet.pds.cc_type", "pds.cc_type", base.DEC, { [0] = "CC_NSCC" }, 0xf0),
  mpr = ProtoField.uint8("uet.pds.mpr", "pds.mpr"),
  sack_offset = ProtoField.int16("uet.pds.sack_psn_offset", "pds.sack_psn_offset"),
  bitmap = ProtoField.uint64("uet.pds.sack_bitmap", "pds.sack_bitmap", base.HEX),
  state = ProtoField.uint64("uet.pds.ack_cc_state", "pds.ack_cc_state", base.HEX),
}
uet_pds.fields = { u.type, u.next, u.flags, u.int, u.retx, u.ar, u.marked, u.clear, u.psn, u.ack_offset, u.cack,
  u.nack_code, u.vendor, u.nack_psn, u.payload, u.spdcid, u.dpdcid, u.cc_type, u.mpr, u.sack_offset, u.bitmap, u.state }

function uet_pds.dissector(tvb, pinfo, root)
  if tvb:len() < 12 then return 0 end
  local type = tvb(0, 1):bitfield(0, 5)
  local length = type == 8 and 32 or type == 10 and 16 or 12
  if tvb:len() < length then return 0 end
  pinfo.cols.protocol = "UET"
  local tree = root:add(uet_pds, tvb(0, length))
  tree:add(u.type, tvb(0, 2))
  tree:add(u.next, tvb(0, 2))
  local flags = tree:add(u.flags, tvb(0, 2))
  flags:add(u.int, tvb(0, 2))
  if type == 2 then
    flags:add(u.retx, tvb(0, 2))
    flags:add(u.ar, tvb(0, 2))
    tree:add(u.clear, tvb(2, 2))
    tree:add(u.psn, tvb(4, 4))
    pinfo.cols.info = string.format("RUD Request, psn %u", tvb(4, 4):uint())
  elseif type == 10 then
    flags:add(u.marked, tvb(0, 2))
    tree:add(u.nack_code, tvb(2, 1))
    tree:add(u.vendor, tvb(3, 1))
    tree:add(u.nack_psn, tvb(4, 4))
    tree:add(u.payload, tvb(12, 4))
    pinfo.cols.info = string.format("NACK, %s, nack_psn %u", codes[tvb(2, 1):uint()] or "?", tvb(4, 4):uint())
  else
    flags:add(u.marked, tvb(0, 2))
    tree:add(u.ack_offset, tvb(2, 2))
    tree:add(u.cack, tvb(4, 4))
    pinfo.cols.info = string.format("%s, cack_psn %d, ack_psn_offset %d", types[type] or "?", tvb(4, 4):int(),
      tvb(2, 2):int())
  end
  tree:add(u.spdcid, tvb(8, 2))
  tree:add(u.dpdcid, tvb(10, 2))
  if type == 8 then
    tree:add(u.cc_type, tvb(12, 1))
    tree:add(u.mpr, tvb(13, 1))
    tree:add(u.sack_offset, tvb(14, 2))
    tree:add(u.bitmap, tvb(16, 8))
    tree:add(u.state, tvb(24, 8))
  end
  if tvb(1, 1):bitfield(1, 1) == 1 and tvb:len() >= length + INT_BYTES then
    show_int(tvb(length, INT_BYTES):tvb(), root)
  end
  return tvb:len()
end

-- What IRN (SIGCOMM 2018) needs beside a cumulative acknowledgement, in Weir's form.
local s = {
  trigger = ProtoField.uint32("weir_irn.trigger", "Number of the packet that is acknowledged"),
  first = ProtoField.uint32("weir_irn.first", "First packet of the bitmap"),
  arrived = ProtoField.uint64("weir_irn.arrived", "Packets that have arrived", base.HEX, nil, nil,
    "The last bit is the first packet of the bitmap"),
}
irn.fields = { s.trigger, s.first, s.arrived }

-- INT and IRN stand behind the headers that Wireshark knows of a RoCEv2 packet. It takes a packet whose payload has not
-- been kept for malformed, and says so in the column Info alone.
local sends = { [0] = "RC Send First", [1] = "RC Send Middle", [2] = "RC Send Last", [4] = "RC Send Only" }
local function show_rocev2(tvb, is_cut, pinfo, tree)
  if tvb:len() < 12 then return end
  local opcode = tvb(0, 1):uint()
  if sends[opcode] ~= nil and is_cut then
    pinfo.cols.info:clear_fence()
    pinfo.cols.info = string.format("%s QP=0x%06x PSN=%u, its payload is not kept", sends[opcode], tvb(5, 3):uint(),
      tvb(9, 3):uint())
  end
  local at = (opcode == 0x11 and 16) or (opcode == 0x81 and 28) or 12
  local has_int = tvb(4, 1):bitfield(7, 1) == 1
  local has_sack = tvb(4, 1):bitfield(6, 1) == 1
  if has_sack and tvb:len() >= at + 16 then
    local part = tree:add(irn, tvb(at, 16))
    part:add(s.trigger, tvb(at, 4))
    part:add(s.first, tvb(at + 4, 4))
    part:add(s.arrived, tvb(at + 8, 8))
    at = at + 16
  end
  if has_int and tvb:len() >= at + INT_BYTES then show_int(tvb(at, INT_BYTES):tvb(), tree) end
end

local function show_datagram(tvb, pinfo, tree)
  if tvb:len() < 24 then return end
  pinfo.cols.protocol = "Weir"
  local kind = tvb(1, 1):uint()
  tree:add(w.version, tvb(0, 1))
  tree:add(w.kind, tvb(1, 1))
  tree:add(w.class, tvb(2, 1))
  tree:add(w.of_flow, tvb(4, 4))
  tree:add(w.seq, tvb(8, 8))
  tree:add(kind == 1 and w.arrived or w.sent, tvb(16, 8))
  pinfo.cols.info = string.format("%s of flow %u", kinds[kind] or "?", tvb(4, 4):uint())
end

local comment_of = Field.new("frame.comment")
local udp_port = Field.new("udp.dstport")
local udp_length = Field.new("udp.length")

-- Called after all other dissectors, with the whole frame.
function weir.dissector(tvb, pinfo, root)
  local comment = comment_of()
  if comment == nil then return end
  local text = tostring(comment)
  if text:sub(1, 5) ~= "weir " then return end
  local tree = root:add(weir, tvb(0, 0))
  local function add(field, name, number)
    local value = text:match(" " .. name .. "=(%d+)")
    if value ~= nil then tree:add(field, number(value)):set_generated() end
  end
  add(w.flow, "flow", UInt64)
  add(w.wire, "wire", tonumber)
  add(w.queued, "queued", tonumber)
  add(w.entropy, "entropy", tonumber)
  if text:find(" again", 1, true) then tree:add(w.again, true):set_generated() end
  local port = udp_port()
  if port == nil then return end
  local begin = udp_length().offset + 4
  if begin >= tvb:len() then return end
  local body = tvb(begin):tvb()
  if port.value == UDP_ROCEV2 then
    show_rocev2(body, tvb:len() < tvb:reported_len(), pinfo, root)
  elseif port.value == UDP_WEIR then
    show_datagram(body, pinfo, tree)
  end
end

register_postdissector(weir, true)
DissectorTable.get("udp.port"):add(UDP_UET, uet_pds)
