// Ids from std::mt19937 of C++, as in a snippet that many programs copied: c++ cpp.cpp && ./a.out mt19937 COUNT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <random>
#include <sstream>

static std::random_device rd;
static std::mt19937 gen(rd());
static std::uniform_int_distribution<> dis(0, 15);
static std::uniform_int_distribution<> dis2(8, 11);

static std::string generate_uuid_v4() {
    std::stringstream ss;
    int i;
    ss << std::hex;
    for (i = 0; i < 8; i++) ss << dis(gen);
    ss << "-";
    for (i = 0; i < 4; i++) ss << dis(gen);
    ss << "-4";
    for (i = 0; i < 3; i++) ss << dis(gen);
    ss << "-";
    ss << dis2(gen);
    for (i = 0; i < 3; i++) ss << dis(gen);
    ss << "-";
    for (i = 0; i < 12; i++) ss << dis(gen);
    return ss.str();
}

// The same digits from a smaller generator.
template <class Source> static std::string digits_of_fractions(Source &source) {
    std::uniform_real_distribution<double> fraction(0, 16);
    std::stringstream ss;
    ss << std::hex;
    for (int i = 0; i < 32; i++) {
        if (i == 8 || i == 12 || i == 16 || i == 20) ss << "-";
        ss << int(fraction(source));
    }
    return ss.str();
}

// Two whole numbers of the generator of 64 bits, and version and variant.
static std::string two_numbers(std::mt19937_64 &source) {
    std::uint64_t high = (source() & ~0xF000ull) | 0x4000ull;
    std::uint64_t low = (source() & ~(3ull << 62)) | 2ull << 62;
    char text[37];
    std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", unsigned(high >> 32), unsigned(high >> 16 & 0xFFFF),
                  unsigned(high & 0xFFFF), unsigned(low >> 48), static_cast<unsigned long long>(low & 0xFFFFFFFFFFFFull));
    return text;
}

// The lowest hexadecimal digits of whole numbers, so many of each.
template <class Source> static std::string digits_of_numbers(Source &source, int digits) {
    char text[37] = "", number[17];
    for (int at = 0; at < 32; at += digits) {
        std::snprintf(number, sizeof number, "%0*llx", digits, static_cast<unsigned long long>(source()));
        std::strcat(text, number);
    }
    std::string id(text);
    for (int hyphen : {20, 16, 12, 8}) id.insert(hyphen, "-");
    return id;
}

int main(int, char **arguments) {
    std::mt19937_64 wide(std::uint64_t(rd()) << 32 | rd());
    std::linear_congruential_engine<std::uint32_t, 1664525, 1013904223, 0> recipes(rd());
    std::linear_congruential_engine<std::uint64_t, 6364136223846793005u, 1442695040888963407u, 0> mmix(rd());
    std::minstd_rand0 minstd0(rd());
    std::minstd_rand minstd(rd());
    if (std::strcmp(arguments[1], "seed-seconds") == 0) gen.seed(std::time(nullptr));
    for (long n = std::atol(arguments[2]); n > 0; n--) {
        if (std::strcmp(arguments[1], "minstd-rand0") == 0) std::cout << digits_of_fractions(minstd0) << "\n";
        else if (std::strcmp(arguments[1], "minstd-rand") == 0) std::cout << digits_of_fractions(minstd) << "\n";
        else if (std::strcmp(arguments[1], "lcg-1664525") == 0) std::cout << digits_of_numbers(recipes, 8) << "\n";
        else if (std::strcmp(arguments[1], "lcg-mmix") == 0) std::cout << digits_of_numbers(mmix, 16) << "\n";
        else if (std::strcmp(arguments[1], "mt19937-64") == 0) std::cout << two_numbers(wide) << "\n";
        else std::cout << generate_uuid_v4() << "\n";
    }
}
