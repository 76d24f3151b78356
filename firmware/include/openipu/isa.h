// Made by `python -m openipu.sw.compiler.headers`; change that, not this.

#pragma once

#ifdef __ASSEMBLER__
// streams, where an instruction takes 64 bits
#define in0 f1
#define in1 f3
#define out f5
// end this thread; on the supervisor: end the tile's program
.macro xend
    .insn r 0xb, 0, 0, x0, x0, x0
.endm
// supervisor: start a worker at pc = rs1 with a0 = rs2
.macro xstart worker, rs1, rs2
    .insn r 0xb, 0, 1, x\worker, \rs1, \rs2
.endm
// supervisor: wait until no worker runs
.macro xwait
    .insn r 0xb, 0, 2, x0, x0, x0
.endm
// supervisor: meet the zone's barrier, then run the armed exchange to its end
.macro xsync zone
    .insn r 0xb, 0, 3, x\zone, x0, x0
.endm
// supervisor: the next barrier starts the exchange with the send table at rs1 and the receive table at rs2 (0: none)
.macro xarm rs1, rs2
    .insn r 0xb, 0, 4, x0, \rs1, \rs2
.endm
// trap to the host with a code and the value rs1
.macro xtrap code, rs1
    .insn r 0xb, 0, 5, x\code, \rs1, x0
.endm
// worker: wait until all workers that run do so
.macro xmeet
    .insn r 0xb, 0, 6, x0, x0, x0
.endm
// open a stream at address rs1 with level 0 = rs2 (words in bits 15:0, signed step in words of 8 bytes in bits 31:16) and no other levels
.macro xstream stream, rs1, rs2
    .insn r 0xb, 1, 0, x\stream, \rs1, \rs2
.endm
// add levels 1 = rs1 and 2 = rs2 (a count of 0 is as 1) to the stream just opened
.macro xlevels stream, rs1, rs2
    .insn r 0xb, 1, 1, x\stream, \rs1, \rs2
.endm
// run the next imm instructions rs1 times
.macro xrpt rs1, imm
    .insn i 0xb, 2, x0, \rs1, \imm
.endm
// vd = the thread's next 64 random bits
.macro xrand vd
    .insn r 0xb, 3, 0, \vd, x0, x0
.endm
// half 0 or 1 of the thread's random state = rs2, rs1
.macro xseed half, rs1, rs2
    .insn r 0xb, 3, 1, x\half, \rs1, \rs2
.endm
// four f16: vd = vs1 + vs2
.macro h4add vd, vs1, vs2
    .insn r 0x2b, 0, 0, \vd, \vs1, \vs2
.endm
// four f16: vd = vs1 - vs2
.macro h4sub vd, vs1, vs2
    .insn r 0x2b, 0, 1, \vd, \vs1, \vs2
.endm
// four f16: vd = vs1 * vs2
.macro h4mul vd, vs1, vs2
    .insn r 0x2b, 0, 2, \vd, \vs1, \vs2
.endm
// four f16: vd = vs1 min vs2
.macro h4min vd, vs1, vs2
    .insn r 0x2b, 0, 3, \vd, \vs1, \vs2
.endm
// four f16: vd = vs1 max vs2
.macro h4max vd, vs1, vs2
    .insn r 0x2b, 0, 4, \vd, \vs1, \vs2
.endm
// four f16: vd = vs1 == vs2; all ones where it holds
.macro h4eq vd, vs1, vs2
    .insn r 0x2b, 0, 5, \vd, \vs1, \vs2
.endm
// four f16: vd = vs1 < vs2; all ones where it holds
.macro h4lt vd, vs1, vs2
    .insn r 0x2b, 0, 6, \vd, \vs1, \vs2
.endm
// four f16: vd = vs1 <= vs2; all ones where it holds
.macro h4le vd, vs1, vs2
    .insn r 0x2b, 0, 7, \vd, \vs1, \vs2
.endm
// two f32: vd = vs1 + vs2
.macro s2add vd, vs1, vs2
    .insn r 0x2b, 1, 0, \vd, \vs1, \vs2
.endm
// two f32: vd = vs1 - vs2
.macro s2sub vd, vs1, vs2
    .insn r 0x2b, 1, 1, \vd, \vs1, \vs2
.endm
// two f32: vd = vs1 * vs2
.macro s2mul vd, vs1, vs2
    .insn r 0x2b, 1, 2, \vd, \vs1, \vs2
.endm
// two f32: vd = vs1 min vs2
.macro s2min vd, vs1, vs2
    .insn r 0x2b, 1, 3, \vd, \vs1, \vs2
.endm
// two f32: vd = vs1 max vs2
.macro s2max vd, vs1, vs2
    .insn r 0x2b, 1, 4, \vd, \vs1, \vs2
.endm
// two f32: vd = vs1 == vs2; all ones where it holds
.macro s2eq vd, vs1, vs2
    .insn r 0x2b, 1, 5, \vd, \vs1, \vs2
.endm
// two f32: vd = vs1 < vs2; all ones where it holds
.macro s2lt vd, vs1, vs2
    .insn r 0x2b, 1, 6, \vd, \vs1, \vs2
.endm
// two f32: vd = vs1 <= vs2; all ones where it holds
.macro s2le vd, vs1, vs2
    .insn r 0x2b, 1, 7, \vd, \vs1, \vs2
.endm
// vd = vs1 & vs2
.macro xvand vd, vs1, vs2
    .insn r 0x2b, 2, 0, \vd, \vs1, \vs2
.endm
// vd = vs1 | vs2
.macro xvor vd, vs1, vs2
    .insn r 0x2b, 2, 1, \vd, \vs1, \vs2
.endm
// vd = vs1 ^ vs2
.macro xvxor vd, vs1, vs2
    .insn r 0x2b, 2, 2, \vd, \vs1, \vs2
.endm
// vd = vs1 & ~vs2
.macro xvandn vd, vs1, vs2
    .insn r 0x2b, 2, 3, \vd, \vs1, \vs2
.endm
// vd = the four f32 of vs1, vs2 as f16
.macro h4narrow vd, vs1, vs2
    .insn r 0x2b, 3, 0, \vd, \vs1, \vs2
.endm
// as h4narrow, rounded at random: up as often as the bits cut are far; takes 64 random bits
.macro h4narrowr vd, vs1, vs2
    .insn r 0x2b, 3, 1, \vd, \vs1, \vs2
.endm
// vd = the low two f16 of vs1 as f32
.macro s2widenl vd, vs1
    .insn r 0x2b, 3, 2, \vd, \vs1, x0
.endm
// vd = the high two f16 of vs1 as f32
.macro s2widenh vd, vs1
    .insn r 0x2b, 3, 3, \vd, \vs1, x0
.endm
// vd = four times the low half of fs1
.macro h4splat vd, fs1
    .insn r 0x2b, 3, 4, \vd, \fs1, x0
.endm
// vd = twice fs1
.macro s2splat vd, fs1
    .insn r 0x2b, 3, 5, \vd, \fs1, x0
.endm
// fd = the greatest of four f16, ones above it
.macro h4greatest fd, vs1
    .insn r 0x2b, 3, 6, \fd, \vs1, x0
.endm
// fd = the greater of two f32
.macro s2greatest fd, vs1
    .insn r 0x2b, 3, 7, \fd, \vs1, x0
.endm
// four f16: vd = exp(vs1), correctly rounded
.macro h4exp vd, vs1
    .insn r 0x2b, 4, 0, \vd, \vs1, x0
.endm
// four f16: vd = log(vs1), correctly rounded
.macro h4log vd, vs1
    .insn r 0x2b, 4, 1, \vd, \vs1, x0
.endm
// four f16: vd = tanh(vs1), correctly rounded
.macro h4tanh vd, vs1
    .insn r 0x2b, 4, 2, \vd, \vs1, x0
.endm
// four f16: vd = sigmoid(vs1), correctly rounded
.macro h4sigmoid vd, vs1
    .insn r 0x2b, 4, 3, \vd, \vs1, x0
.endm
// four f16: vd = recip(vs1), correctly rounded
.macro h4recip vd, vs1
    .insn r 0x2b, 4, 4, \vd, \vs1, x0
.endm
// four f16: vd = rsqrt(vs1), correctly rounded
.macro h4rsqrt vd, vs1
    .insn r 0x2b, 4, 5, \vd, \vs1, x0
.endm
// four f16: vd = sqrt(vs1), correctly rounded
.macro h4sqrt vd, vs1
    .insn r 0x2b, 4, 6, \vd, \vs1, x0
.endm
// four f16: vd = vs1 * vs2 + vs3, rounded once
.macro h4madd vd, vs1, vs2, vs3
    .insn r4 0x5b, 0, 0, \vd, \vs1, \vs2, \vs3
.endm
// two f32: vd = vs1 * vs2 + vs3, rounded once
.macro s2madd vd, vs1, vs2, vs3
    .insn r4 0x5b, 1, 0, \vd, \vs1, \vs2, \vs3
.endm
// vd = vs2 where the bits of vs1 are 1, else vs3
.macro xvsel vd, vs1, vs2, vs3
    .insn r4 0x5b, 2, 0, \vd, \vs1, \vs2, \vs3
.endm
// f32: fd = fs3 + ((a0 + a1) + (a2 + a3)) of the four f16 in vs1
.macro h4sum fd, vs1, fs3
    .insn r4 0x5b, 3, 0, \fd, \vs1, x0, \fs3
.endm
// f32: fd = fs3 + (a0 + a1) of the two f32 in vs1
.macro s2sum fd, vs1, fs3
    .insn r4 0x5b, 4, 0, \fd, \vs1, x0, \fs3
.endm
// f32: fd = fs3 + ((a0*b0 + a1*b1) + (a2*b2 + a3*b3)) of the f16 in vs1 and vs2
.macro h4dot fd, vs1, vs2, fs3
    .insn r4 0x5b, 5, 0, \fd, \vs1, \vs2, \fs3
.endm
// rows of rs1 groups; weights are loaded from word rs2 on; no partials, no results
.macro xampset rs1, rs2
    .insn r 0x7b, 0, 0, x0, \rs1, \rs2
.endm
// the next two words of the weights = vs1, vs2
.macro xampload vs1, vs2
    .insn r 0x7b, 0, 1, x0, \vs1, \vs2
.endm
// the next two partials of the next row = vs1
.macro xampin vs1
    .insn r 0x7b, 0, 2, x0, \vs1, x0
.endm
// vd = the next two results
.macro xampout vd
    .insn r 0x7b, 0, 3, \vd, x0, x0
.endm
// vd = the next four results as f16
.macro xampoutn vd
    .insn r 0x7b, 0, 4, \vd, x0, x0
.endm
// f16: multiply a group; vd = the next two results
.macro xamph vd, vs1
    .insn r 0x7b, 0, 5, \vd, \vs1, x0
.endm
// as xamph; the next two partials = vs2
.macro xamphp vd, vs1, vs2
    .insn r 0x7b, 0, 6, \vd, \vs1, \vs2
.endm
// as xamph; vd = the next four results as f16
.macro xamphn vd, vs1
    .insn r 0x7b, 0, 7, \vd, \vs1, x0
.endm
// as xamphp; vd = the next four results as f16
.macro xamphpn vd, vs1, vs2
    .insn r 0x7b, 0, 8, \vd, \vs1, \vs2
.endm
// f32: multiply one of the two in vs1; vd = the next two results
.macro xamps vd, vs1
    .insn r 0x7b, 0, 9, \vd, \vs1, x0
.endm
// as xamps; the next two partials = vs2
.macro xampsp vd, vs1, vs2
    .insn r 0x7b, 0, 10, \vd, \vs1, \vs2
.endm
// f16: output += vs1 * its weights, output + 1 += vs2 * its weights
.macro xamppair output, vs1, vs2
    .insn r 0x7b, 0, 11, x\output, \vs1, \vs2
.endm
// end a row of xamppair
.macro xampturn
    .insn r 0x7b, 0, 12, x0, x0, x0
.endm
#else
// end this thread; on the supervisor: end the tile's program
#define xend() \
    __asm__ volatile(".insn r 0xb, 0, 0, x0, x0, x0" ::  : "memory")
// supervisor: start a worker at pc = rs1 with a0 = rs2
#define xstart(worker, rs1, rs2) \
    __asm__ volatile(".insn r 0xb, 0, 1, x" #worker ", %0, %1" :: "r"(rs1), "r"(rs2) : "memory")
// supervisor: wait until no worker runs
#define xwait() \
    __asm__ volatile(".insn r 0xb, 0, 2, x0, x0, x0" ::  : "memory")
// supervisor: meet the zone's barrier, then run the armed exchange to its end
#define xsync(zone) \
    __asm__ volatile(".insn r 0xb, 0, 3, x" #zone ", x0, x0" ::  : "memory")
// supervisor: the next barrier starts the exchange with the send table at rs1 and the receive table at rs2 (0: none)
#define xarm(rs1, rs2) \
    __asm__ volatile(".insn r 0xb, 0, 4, x0, %0, %1" :: "r"(rs1), "r"(rs2) : "memory")
// trap to the host with a code and the value rs1
#define xtrap(code, rs1) \
    __asm__ volatile(".insn r 0xb, 0, 5, x" #code ", %0, x0" :: "r"(rs1) : "memory")
// worker: wait until all workers that run do so
#define xmeet() \
    __asm__ volatile(".insn r 0xb, 0, 6, x0, x0, x0" ::  : "memory")
// open a stream at address rs1 with level 0 = rs2 (words in bits 15:0, signed step in words of 8 bytes in bits 31:16) and no other levels
#define xstream(stream, rs1, rs2) \
    __asm__ volatile(".insn r 0xb, 1, 0, x" #stream ", %0, %1" :: "r"(rs1), "r"(rs2) : "memory")
// add levels 1 = rs1 and 2 = rs2 (a count of 0 is as 1) to the stream just opened
#define xlevels(stream, rs1, rs2) \
    __asm__ volatile(".insn r 0xb, 1, 1, x" #stream ", %0, %1" :: "r"(rs1), "r"(rs2) : "memory")
// run the next imm instructions rs1 times
#define xrpt(rs1, imm) \
    __asm__ volatile(".insn i 0xb, 2, x0, %0, " #imm "" :: "r"(rs1) : "memory")
// half 0 or 1 of the thread's random state = rs2, rs1
#define xseed(half, rs1, rs2) \
    __asm__ volatile(".insn r 0xb, 3, 1, x" #half ", %0, %1" :: "r"(rs1), "r"(rs2) : "memory")
// rows of rs1 groups; weights are loaded from word rs2 on; no partials, no results
#define xampset(rs1, rs2) \
    __asm__ volatile(".insn r 0x7b, 0, 0, x0, %0, %1" :: "r"(rs1), "r"(rs2) : "memory")
// end a row of xamppair
#define xampturn() \
    __asm__ volatile(".insn r 0x7b, 0, 12, x0, x0, x0" ::  : "memory")
#endif

#define CSR_FFLAGS 0x001
#define CSR_FRM 0x002
#define CSR_FCSR 0x003
#define CSR_MSTATUS 0x300
#define CSR_MISA 0x301
#define CSR_MIE 0x304
#define CSR_MTVEC 0x305
#define CSR_MSTATUSH 0x310
#define CSR_MCOUNTINHIBIT 0x320
#define CSR_MSCRATCH 0x340
#define CSR_MEPC 0x341
#define CSR_MCAUSE 0x342
#define CSR_MTVAL 0x343
#define CSR_MIP 0x344
#define CSR_MCYCLE 0xb00
#define CSR_MINSTRET 0xb02
#define CSR_MCYCLEH 0xb80
#define CSR_MINSTRETH 0xb82
#define CSR_CYCLE 0xc00
#define CSR_TIME 0xc01
#define CSR_INSTRET 0xc02
#define CSR_CYCLEH 0xc80
#define CSR_TIMEH 0xc81
#define CSR_INSTRETH 0xc82
#define CSR_MVENDORID 0xf11
#define CSR_MARCHID 0xf12
#define CSR_MIMPID 0xf13
#define CSR_MHARTID 0xf14
#define CSR_MCONFIGPTR 0xf15

#define CAUSE_FETCH_MISALIGNED 0
#define CAUSE_FETCH_OUTSIDE 1
#define CAUSE_ILLEGAL 2
#define CAUSE_BREAKPOINT 3
#define CAUSE_LOAD_MISALIGNED 4
#define CAUSE_LOAD_OUTSIDE 5
#define CAUSE_STORE_MISALIGNED 6
#define CAUSE_STORE_OUTSIDE 7
#define CAUSE_ECALL 11
#define CAUSE_EXPLICIT 24
#define CAUSE_SILENT_BUS 25
#define CAUSE_TABLE_CLASH 26
#define CAUSE_TABLE_LATE 27
#define CAUSE_EXCHANGE_OUTSIDE 28
#define CAUSE_ZONE_MISMATCH 29
#define CAUSE_STREAM_CLASH 30
#define CAUSE_STREAM_FINISHED 48
#define CAUSE_STREAM_MISALIGNED 49
#define CAUSE_LOOP_LENGTH 50
#define CAUSE_LOOP_BRANCH 51
#define CAUSE_AMP_OVERRUN 52

#define ZONE_CHIP 0
#define ZONE_POD 1
#define ZONE_HOST 2
