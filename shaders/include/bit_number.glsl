// The number of set bit n, of more than n.
uint bit_number(uint bits, uint n) {
    for (uint i = 0; i < n; ++i) {
        bits &= bits - 1;
    }
    return findLSB(bits);
}
