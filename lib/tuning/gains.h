/* The gains of a PID controller as a driver computes it. */
#ifndef AW_TUNING_GAINS_H
#define AW_TUNING_GAINS_H

/* A driver computes once per tick, the control period, without knowing its length:
 *     sum += ki·e;  u = kp·e + sum + kd·(e - previous e)
 * A controller u = Kp·e + Ki·integral(e dt) + Kd·de/dt has ki = Ki·tick and kd = Kd/tick. The
 * exoskeleton's drivers have a tick of 4 ms. Their default ki of 0.0005 is then 0.125 per second,
 * and a Kd of 0.01 s is a kd of 2.5. Such a kd amplifies noise and every jump of the setpoint: a
 * step of 0.1 outputs kd·0.1 for one tick. */
struct aw_gains {
    double kp, ki, kd;
};

#endif
