"""Writes line_splits.tsv: law, noise variance, radius, x, density, P(X <= x), P(X > x), E(x - X)+, E(X - x)+."""
from laws import *
cases=[]
def add(text,noise,R,obj,xs):
    o=Trunc(obj,R) if R else obj
    for x in xs:
        X=mpf(x); F=o.F(X); 
        row=[o.f(X),F,1-F,o.L(X),U(o,X)]
        for v in row: assert v>=0 or abs(v)<mpf(10)**-300,(text,x,nstr(v,5))
        g = lambda v: repr(float(v)) if abs(v) > mpf(10)**-305 else '0.0'
        cases.append("\t".join([text, repr(float(noise)), repr(float(R)) if R else 'inf', repr(float(x))] + [g(v) for v in row]))
N='{ kind = "gaussian", mean = 0, std = 1 }'
add(N,0.0,None,Normal(0,1),[-30.0,-3.0,-0.5,0.0,0.25,8.0,37.0])
add('{ kind = "gaussian", mean = 1000, std = 0.5 }',0.0,None,Normal(1000,0.5),[998.5,1000.25])
L='{ kind = "laplace", mean = 0.5, scale = 2 }'
add(L,0.0,None,Laplace(0.5,2,0),[-80.0,0.0,0.5,3.0])
add(L,1.0,None,Laplace(0.5,2,1),[-80.0,-4.0,0.25,0.5,0.75,2.0,50.0])
add('{ kind = "laplace", mean = 0, scale = 0.125 }',4.0,None,Laplace(0,0.125,4),[-30.0,0.0,1.0,20.0])
add('{ kind = "laplace", mean = 0, scale = 1 }',1.0/1024**2,None,Laplace(0,1,mpf(1)/1024**2),[-3.0,0.0,0.001,0.1,9.0])
A='{ kind = "uniform", low = -1, high = 3 }'
add(A,0.0,None,Uniform(-1,3,0),[-1.0,0.0,2.75,3.0])
add(A,1.0,None,Uniform(-1,3,1),[-20.0,-1.5,0.0,1.0,2.5,9.0])
add('{ kind = "uniform", low = -0.0009765625, high = 0.0009765625 }',1.0,None,Uniform(-0.0009765625,0.0009765625,1),[-20.0,-1.5,0.0,2.5,30.0])
add('{ kind = "uniform", low = 1000, high = 1000.0009765625 }',2.0**-30,None,Uniform(1000,1000.0009765625,mpf(2)**-30),[999.9999,1000.0005,1000.001])
add('{ kind = "uniform", low = -1, high = 3 }',2.0**-80,None,Uniform(-1,3,mpf(2)**-80),[-1.0,0.5,3.0])
M='{ kind = "mixture", weights = [0.25, 0.75], means = [-2, 3], covs = [0.25, 1] }'
mix=Mix([0.25,0.75],[Normal(-2,0.5),Normal(3,1)])
add(M,0.0,None,mix,[-20.0,-2.0,0.5,3.5,30.0])
# truncated
add(N,0.0,1.5,Normal(0,1),[-1.5,-1.0,0.0,0.5,1.5,2.0])
add(N,0.0,2.0**-20,Normal(0,1),[-2.0**-21,0.0,2.0**-22])
add('{ kind = "gaussian", mean = 12, std = 1 }',0.0,2.0,Normal(12,1),[-2.0,-1.5,0.0,1.75,1.9999])
add('{ kind = "gaussian", mean = 1, std = 1 }',0.0,2.0**-20,Normal(1,1),[-2.0**-21,0.0,2.0**-22])
add('{ kind = "gaussian", mean = -35, std = 1 }',0.0,0.5,Normal(-35,1),[-0.49,0.0,0.25])
add(M,0.0,1.0,mix,[-1.0,-0.5,0.0,0.75])
add(L,1.0,3.0,Laplace(0.5,2,1),[-2.5,0.0,0.5,1.0,2.9])
add(L,0.0,3.0,Laplace(0.5,2,0),[-2.5,0.0,0.5,1.0,2.9])
add('{ kind = "laplace", mean = 20, scale = 1 }',0.25,2.0,Laplace(20,1,0.25),[-1.5,0.0,1.5])
add(A,0.0,2.0,Uniform(-1,3,0),[-1.5,-1.0,0.0,1.5])
add(A,0.25,2.0,Uniform(-1,3,0.25),[-1.75,-1.0,0.0,1.5])
add('{ kind = "uniform", low = 10, high = 14 }',1.0,2.0,Uniform(10,14,1),[-1.75,-1.0,0.0,1.5])
open('line_splits.tsv', 'w').write("\n".join(cases) + "\n")
