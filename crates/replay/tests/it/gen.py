import re,sys
# tests: file -> list of (name, plan, script)
T={}
def t(f,name,plan,script): T.setdefault(f,[]).append((name,plan.strip("\n"),script.strip("\n")))
exec(open(sys.argv[1]).read())
import textwrap
DOC=DOCS
for f,tests in T.items():
    out="//! %s\n\nuse expect_test::expect;\n\nuse crate::check;\n"%DOC[f]
    for name,plan,script in tests:
        p=textwrap.dedent(plan); s=textwrap.dedent(script)
        ind=lambda x: "\n".join(("        "+l) if l else l for l in x.split("\n"))
        out+='\n#[test]\nfn %s() {\n    check(\n        r#"\n%s\n"#,\n        r#"\n%s\n"#,\n        expect![[""]],\n    );\n}\n'%(name,p,s)
    open(f+'.rs','w').write(out)
