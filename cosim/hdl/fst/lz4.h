// The two functions of liblz4 that Verilator's FST writer calls, so that waves need no library
// beyond the compiler's. LZ4 block format: sequences of literals and a match, the last one of at
// least five literals only; a match begins at least twelve bytes before the end.
// Source: LZ4 Block Format Description.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

static inline int LZ4_compressBound(int size) { return size + size / 255 + 16; }

static inline int LZ4_compress_default(const char* source, char* target, int size, int) {
    constexpr int kHashBits = 14, kLeastMatch = 4, kLastLiterals = 5, kLastMatch = 12;
    std::vector<int> seen(1 << kHashBits, -1);  // by hash of four bytes, where they were last
    const auto four = [source](int at) {
        uint32_t word;
        std::memcpy(&word, source + at, sizeof word);
        return word;
    };
    char* out = target;
    const auto put_length = [&out](int length) {  // what the token's 15 leaves
        for (; length >= 255; length -= 255) *out++ = static_cast<char>(255);
        *out++ = static_cast<char>(length);
    };
    const auto put_literals = [&](int from, int count, int match) {  // match: length - 4, or 0
        *out++ = static_cast<char>((count < 15 ? count : 15) << 4 | (match < 15 ? match : 15));
        if (count >= 15) put_length(count - 15);
        std::memcpy(out, source + from, count);
        out += count;
    };
    int literals = 0;  // where those not yet written begin
    for (int at = 0; at <= size - kLastMatch;) {
        const uint32_t word = four(at);
        int& last = seen[word * 2654435761u >> (32 - kHashBits)];
        const int match = last;
        last = at;
        if (match < 0 || at - match > 65535 || four(match) != word) {
            ++at;
            continue;
        }
        int length = kLeastMatch;
        while (at + length < size - kLastLiterals && source[match + length] == source[at + length])
            ++length;
        put_literals(literals, at - literals, length - kLeastMatch);
        *out++ = static_cast<char>(at - match);
        *out++ = static_cast<char>((at - match) >> 8);
        if (length - kLeastMatch >= 15) put_length(length - kLeastMatch - 15);
        at += length;
        literals = at;
    }
    put_literals(literals, size - literals, 0);
    return static_cast<int>(out - target);
}
