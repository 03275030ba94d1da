// Prints beta, variance and W1 to the prior of the mean field at the denoising horizon, in numbers of 34 digits (libquadmath), for the
// prior of two Gaussians of weight 1/2 at +-1 with standard deviation 1/2 and noise of variance 1/2.
//
// Independent of the Rust code in every part: labels on an even grid (trapezoid rule), Gragg's method with extrapolation in time (even
// steps), W1 by interpolating positions between labels. The values of src/claim/recovery/beyond_gaussian.rs are
//     g++ -O2 -o quadruple tests/reference/quadruple.cpp -lquadmath && ./quadruple 40 60 80
#include <quadmath.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

typedef __float128 Real;
typedef std::vector<Real> Reals;

const Real TAU = 0.5Q, VARIANCE = 0.25Q, MODE = 1.0Q;
const Real REACH = 9.0Q;    // labels: nine units to either side, eleven noisy standard deviations from either mode
const Real SPACING = 0.2Q;  // of labels, in kernel widths; the flow pulls them apart by a few times that: too far beyond beta = 80
const Real NEAR = 12.5Q;    // kernel widths beyond which kernels are below 1e-34
const Real STEP = 0.5Q;     // in raw time
const int COLUMNS = 6;      // of the extrapolation: order twelve
const int CELLS = 200;      // into which W1 cuts the interval between two labels

Real density(Real x, Real variance) {
    Real scale = 1 / sqrtq(8 * M_PIq * variance);
    return scale * (expq(-(x - MODE) * (x - MODE) / (2 * variance)) + expq(-(x + MODE) * (x + MODE) / (2 * variance)));
}

Real distribution(Real x, Real variance) {
    Real scale = 1 / sqrtq(2 * variance);
    return (erfcq((MODE - x) * scale) + erfcq((-MODE - x) * scale)) / 4;
}

struct Flow {
    Real beta;
    Reals weights;

    Reals drift(const Reals& z) const {
        int n = z.size();
        Real reach = NEAR / sqrtq(beta);
        Reals mass = weights, moment(n, 0);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n && z[j] - z[i] < reach; j++) {
                Real x = z[j] - z[i], kernel = expq(-beta * x * x / 2);
                mass[i] += weights[j] * kernel, mass[j] += weights[i] * kernel;
                moment[i] += weights[j] * kernel * x, moment[j] -= weights[i] * kernel * x;
            }
        for (int i = 0; i < n; i++) moment[i] /= mass[i];
        return moment;
    }

    // The modified midpoint rule, smoothed at its end.
    Reals midpoint(const Reals& z, const Reals& slope, Real h, int steps) const {
        int n = z.size();
        Reals before = z, now(n), next(n);
        for (int i = 0; i < n; i++) now[i] = z[i] + h * slope[i];
        for (int s = 1; s < steps; s++) {
            Reals v = drift(now);
            for (int i = 0; i < n; i++) next[i] = before[i] + 2 * h * v[i];
            before = now, now = next;
        }
        Reals v = drift(now);
        for (int i = 0; i < n; i++) now[i] = (now[i] + before[i] + h * v[i]) / 2;
        return now;
    }

    void step(Reals& z, Real h) const {
        Reals slope = drift(z);
        std::vector<Reals> table;
        for (int k = 0; k < COLUMNS; k++) {
            table.push_back(midpoint(z, slope, h / (2 * k + 2), 2 * k + 2));
            for (int j = k - 1; j >= 0; j--) {
                Real ratio = Real(k + 1) / Real(j + 1), share = 1 / (ratio * ratio - 1);
                for (size_t i = 0; i < z.size(); i++) table[j][i] = table[j + 1][i] + share * (table[j + 1][i] - table[j][i]);
            }
        }
        z = table[0];
    }
};

// Through six neighbouring values at integers, from the first one on.
Real interpolated(const Real* values, Real u) {
    Real sum = 0;
    for (int j = 0; j < 6; j++) {
        Real product = values[j];
        for (int k = 0; k < 6; k++)
            if (k != j) product *= (u - k) / (j - k);
        sum += product;
    }
    return sum;
}

Real w1(const Reals& labels, const Reals& z) {
    int n = z.size();
    Real sum = 0;
    Reals below(n);
    for (int i = 0; i < n; i++) below[i] = distribution(labels[i], VARIANCE + TAU);
    for (int i = 0; i + 1 < n; i++) {
        int first = i < 2 ? 0 : i > n - 4 ? n - 6 : i - 2;
        Real left = z[i];
        for (int c = 0; c < CELLS; c++) {
            Real middle = Real(i - first) + (c + 0.5Q) / CELLS;
            Real right = interpolated(&z[first], Real(i - first) + Real(c + 1) / CELLS);
            Real gap = interpolated(&below[first], middle) - distribution(interpolated(&z[first], middle), VARIANCE);
            sum += (right - left) * fabsq(gap);
            left = right;
        }
    }
    return sum;
}

int main(int count, char** arguments) {
    for (int k = 1; k < count; k++) {
        Real beta = strtoflt128(arguments[k], nullptr), h = SPACING / sqrtq(beta), total = 0;
        Flow flow = {beta, {}};
        Reals labels;
        int half = int(REACH / h);
        for (int i = -half; i <= half; i++) {
            labels.push_back(i * h);
            flow.weights.push_back(h * density(i * h, VARIANCE + TAU));
            total += flow.weights.back();
        }
        for (Real& weight : flow.weights) weight /= total;
        Reals z = labels;
        Real horizon = beta * TAU / 2;
        int steps = int(ceilq(horizon / STEP));
        for (int s = 0; s < steps; s++) flow.step(z, horizon / steps);
        Real mean = 0, variance = 0;
        for (size_t i = 0; i < z.size(); i++) mean += flow.weights[i] * z[i];
        for (size_t i = 0; i < z.size(); i++) variance += flow.weights[i] * (z[i] - mean) * (z[i] - mean);
        printf("(%.1f, %.14f, %.9f),\n", double(beta), double(variance), double(w1(labels, z)));
        fflush(stdout);
    }
}
