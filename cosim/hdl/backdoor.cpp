// What the simulated hardware shares with Python: the tiles' memories and the retirement trace.
//
// OPENIPU_MEMORY names a file, mapped shared, that holds the memories of tile 0, 1, 2 ... one after
// another (cosim/session.py maps the same file); without it the memories are private to the
// process. OPENIPU_TRACE names the file to which retired instructions are written, 40 bytes each
// (cosim/session.py TRACE_DTYPE); without it none are. OPENIPU_CONNECTION names the descriptor of
// the connection to a session: the simulator ends when the other side is gone.

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

extern double sc_time_stamp();

namespace {

uint64_t* map_memory() {
    const char* const path = std::getenv("OPENIPU_MEMORY");
    size_t bytes = size_t{1} << 32;  // more than any chip has; only touched pages cost memory
    int fd = -1;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (path) {
        struct stat info;
        fd = open(path, O_RDWR);
        if (fd < 0 || fstat(fd, &info) < 0) {
            std::perror(path);
            std::exit(2);
        }
        bytes = static_cast<size_t>(info.st_size);
        flags = MAP_SHARED;
    }
    void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (base == MAP_FAILED) {
        std::perror("openipu: mapping the tiles' memories");
        std::exit(2);
    }
    if (fd >= 0) close(fd);
    return static_cast<uint64_t*>(base);
}

std::FILE* open_trace() {
    const char* const path = std::getenv("OPENIPU_TRACE");
    std::FILE* const file = path ? std::fopen(path, "wb") : nullptr;
    if (file) std::setvbuf(file, nullptr, _IOFBF, 1 << 20);
    return file;
}

// Waits beside the simulation, which may not come to look for long.
bool watch_connection() {
    const char* const number = std::getenv("OPENIPU_CONNECTION");
    if (!number) return false;
    std::thread([fd = std::atoi(number)] {
        pollfd hung_up{fd, POLLRDHUP, 0};
        while (poll(&hung_up, 1, -1) <= 0) {
        }
        _exit(3);
    }).detach();
    return true;
}

const bool watched = watch_connection();
uint64_t* const memory = map_memory();
std::FILE* const trace = open_trace();

struct Record {
    uint64_t cycle;
    uint16_t tile;
    uint8_t thread, rd_file, rd, memory, unused[2];
    uint32_t pc, address;
    uint64_t value, data;
};
static_assert(sizeof(Record) == 40, "the trace's record must match TRACE_DTYPE");

}  // namespace

extern "C" {

long long openipu_sram_read(int word) {
    return static_cast<long long>(memory[static_cast<uint32_t>(word)]);
}

void openipu_sram_write(int word, char strobe, long long data) {
    uint64_t& stored = memory[static_cast<uint32_t>(word)];
    const uint8_t enabled = static_cast<uint8_t>(strobe);
    if (enabled == 0xff) {
        stored = static_cast<uint64_t>(data);
        return;
    }
    uint64_t mask = 0;
    for (int byte = 0; byte < 8; ++byte) {
        if (enabled >> byte & 1) mask |= uint64_t{0xff} << (8 * byte);
    }
    stored = (stored & ~mask) | (static_cast<uint64_t>(data) & mask);
}

void openipu_trace_record(int tile, char thread, char rd_file, char rd, char access, int pc,
                          long long value, int address, long long data) {
    if (!trace) return;
    const Record record{static_cast<uint64_t>(sc_time_stamp()) / 2,
                        static_cast<uint16_t>(tile),
                        static_cast<uint8_t>(thread),
                        static_cast<uint8_t>(rd_file),
                        static_cast<uint8_t>(rd),
                        static_cast<uint8_t>(access),
                        {0, 0},
                        static_cast<uint32_t>(pc),
                        static_cast<uint32_t>(address),
                        static_cast<uint64_t>(value),
                        static_cast<uint64_t>(data)};
    std::fwrite(&record, sizeof record, 1, trace);
}

// Called by the server (cosim/server.py) before it reports a rest, so that readers see whole runs.
void openipu_trace_flush() {
    if (trace) std::fflush(trace);
}

}  // extern "C"
