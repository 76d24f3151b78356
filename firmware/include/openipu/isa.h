// Made by `python -m openipu.sw.compiler.headers`; change that, not this.

#pragma once

#ifdef __ASSEMBLER__
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

#define ZONE_CHIP 0
#define ZONE_POD 1
#define ZONE_HOST 2
