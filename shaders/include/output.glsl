// The end of a product's value: y[y_at + row]. A shader that includes this has `bias` among its buffers and is pushed
// y_at, has_bias and relu.
float finished(float sum, uint row) {
    sum += p.has_bias != 0 ? bias[p.y_at + row] : 0.0;
    return p.relu != 0 ? max(sum, 0.0) : sum;
}
