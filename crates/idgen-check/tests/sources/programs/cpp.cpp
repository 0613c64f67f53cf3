// Ids from std::mt19937 of C++, as in a snippet that many programs copied: c++ cpp.cpp && ./a.out mt19937 COUNT
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

int main(int, char **arguments) {
    if (std::strcmp(arguments[1], "seed-seconds") == 0) gen.seed(std::time(nullptr));
    for (long n = std::atol(arguments[2]); n > 0; n--) std::cout << generate_uuid_v4() << "\n";
}
