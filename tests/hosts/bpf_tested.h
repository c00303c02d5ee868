/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* What bpf_tested.bpf.c and the tests share. */
#pragma once

#include "hosts/bpf/maps.h"

enum { RULE_EVENTS = 512, PREPARED_OR_ACKS = 64 };
enum { RULE_START, RULE_SEND, RULE_OR_ACK };

struct rule_event {
  unsigned kind;
  unsigned seq;
  unsigned length;
  unsigned result;
  long long delay;
  long long now;
  /* after it */
  long long pause_end;
  unsigned beta;
  unsigned pad;
};

struct rule_batch {
  struct weir_on_ramp rule;
  struct weir_on_ramp_params params;
  struct rule_event events[RULE_EVENTS];
};

struct prepared_or_acks {
  unsigned next;
  unsigned words[PREPARED_OR_ACKS][WEIR_OR_ACK_WORDS_V4];
};
