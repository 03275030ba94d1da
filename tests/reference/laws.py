"""Laws on the line with 400 digits: density f, distribution function F, lower mean L(x) = E(x - X)+, mean m.

Closed forms in erfc and exp, evaluated with so many digits that their cancellation is harmless. Needs mpmath.
"""
from mpmath import *
mp.dps = 400
def Phi(t): return erfc(-t/sqrt(mpf(2)))/2
def phi(t): return exp(-t*t/2)/sqrt(2*pi)
class Normal:
    def __init__(s,m,sd): s.m,s.s=mpf(m),mpf(sd); s.kind=('normal',m,sd)
    def f(s,x): return phi((x-s.m)/s.s)/s.s
    def F(s,x): return Phi((x-s.m)/s.s)
    def L(s,x):
        t=(x-s.m)/s.s
        return s.s*(t*Phi(t)+phi(t))
    mean=property(lambda s:s.m)
    breaks=()
class Atom:
    def __init__(s,a): s.m=mpf(a)
    def f(s,x): return mpf(0)
    def F(s,x): return mpf(1) if x>=s.m else mpf(0)
    def L(s,x): return max(x-s.m,mpf(0))
class Laplace:
    def __init__(s,m,b,v): s.m,s.b,s.v=mpf(m),mpf(b),mpf(v)
    def f(s,x):
        z=x-s.m;b=s.b
        if s.v==0: return exp(-abs(z)/b)/(2*b)
        sd=sqrt(s.v);r=sqrt(mpf(2))
        return (exp(s.v/(2*b*b)-z/b)*erfc((sd/b-z/sd)/r)+exp(s.v/(2*b*b)+z/b)*erfc((sd/b+z/sd)/r))/(4*b)
    def F(s,x):
        z=x-s.m;b=s.b
        if s.v==0: return exp(z/b)/2 if z<0 else 1-exp(-z/b)/2
        sd=sqrt(s.v);r=sqrt(mpf(2))
        A=exp(s.v/(2*b*b)-z/b)*erfc((sd/b-z/sd)/r); B=exp(s.v/(2*b*b)+z/b)*erfc((sd/b+z/sd)/r)
        return Phi(z/sd)+(B-A)/4
    def L(s,x):
        z=x-s.m;b=s.b
        if s.v==0: return b*exp(z/b)/2 if z<0 else z+b*exp(-z/b)/2
        sd=sqrt(s.v); t=z/sd
        return sd*(t*Phi(t)+phi(t))+b*b*s.f(x)
class Uniform:
    def __init__(s,lo,hi,v): s.lo,s.hi,s.v=mpf(lo),mpf(hi),mpf(v); s.m=(s.lo+s.hi)/2
    def f(s,x):
        w=s.hi-s.lo
        if s.v==0: return 1/w if s.lo<=x<=s.hi else mpf(0)
        sd=sqrt(s.v)
        return (Phi((x-s.lo)/sd)-Phi((x-s.hi)/sd))/w
    def F(s,x):
        w=s.hi-s.lo
        if s.v==0: return max(mpf(0),min(mpf(1),(x-s.lo)/w))
        sd=sqrt(s.v); g=lambda t:t*Phi(t)+phi(t)
        return sd*(g((x-s.lo)/sd)-g((x-s.hi)/sd))/w
    def L(s,x):
        w=s.hi-s.lo
        if s.v==0:
            if x<=s.lo: return mpf(0)
            if x>=s.hi: return x-s.m
            return (x-s.lo)**2/(2*w)
        sd=sqrt(s.v); g=lambda t:((1+t*t)*Phi(t)+t*phi(t))/2
        return s.v*(g((x-s.lo)/sd)-g((x-s.hi)/sd))/w
class Mix:
    def __init__(s,ws,cs): s.ws=[mpf(w) for w in ws]; s.cs=cs; s.m=sum(w*c.m for w,c in zip(s.ws,cs))
    def f(s,x): return sum(w*c.f(x) for w,c in zip(s.ws,s.cs))
    def F(s,x): return sum(w*c.F(x) for w,c in zip(s.ws,s.cs))
    def L(s,x): return sum(w*c.L(x) for w,c in zip(s.ws,s.cs))
class Trunc:
    """to [-R,R]; base continuous at -R"""
    def __init__(s,base,R):
        s.b,s.R=base,mpf(R); s.p=base.F(s.R)-base.F(-s.R)
        s.m=s.R-s.L(s.R)
    def f(s,x): return s.b.f(x)/s.p if abs(x)<=s.R else mpf(0)
    def F(s,x):
        if x<=-s.R: return mpf(0)
        if x>=s.R: return mpf(1)
        return (s.b.F(x)-s.b.F(-s.R))/s.p
    def L(s,x):
        R=s.R
        if x<=-R: return mpf(0)
        base=lambda y:(s.b.L(y)-s.b.L(-R)-(y+R)*s.b.F(-R))/s.p
        if x>=R: return base(R)+(x-R)
        return base(x)
def U(c,x): return c.L(x)-x+c.m
