# Prints N random conversations of mixed shapes (SEED as second argument), each followed by "--".
import json,random,sys
random.seed(int(sys.argv[2]) if len(sys.argv)>2 else 1)
PNG="iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
def text(): return random.choice(["hello","what is 2+2?","ünï çødé","a\nb","{\"x\":1}"])
def user():
    c=random.random()
    if c<.5: return {"role":"user","content":text()}
    if c<.7: return {"role":"user","content":[{"type":"text","text":text()},{"type":"image_url","image_url":{"url":"data:image/png;base64,"+PNG}}]}
    if c<.9: return {"role":"user","content":[{"type":"text","text":text()},{"type":"image","source":{"type":"base64","media_type":"image/png","data":PNG}}]}
    return {"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjQK"},"title":"t"},{"type":"text","text":text()}]}
n=0
def calls():
    global n
    k=random.randint(1,3); ids=[]
    for _ in range(k):
        n+=1; ids.append("call_%d"%n)
    args=lambda: {"q":random.randint(1,9),"s":text()}
    if random.random()<.5:
        yield {"role":"assistant","content":random.choice([None,text()]),"tool_calls":[{"id":i,"type":"function","function":{"name":"f","arguments":json.dumps(args())}} for i in ids]}
        for i in ids: yield {"role":"tool","tool_call_id":i,"content":random.choice([text(),[{"type":"text","text":text()}]])}
    else:
        b=[{"type":"thinking","thinking":"hm","signature":"c2ln"}] if random.random()<.5 else []
        yield {"role":"assistant","content":b+([{"type":"text","text":text()}] if random.random()<.5 else [])+[{"type":"tool_use","id":i,"name":"f","input":args()} for i in ids]}
        yield {"role":"user","content":[{"type":"tool_result","tool_use_id":i,"content":random.choice([text(),[{"type":"text","text":text()},{"type":"image","source":{"type":"base64","media_type":"image/png","data":PNG}}]]),"is_error":random.random()<.2} for i in ids]}
for h in range(int(sys.argv[1])):
    m=[]
    if random.random()<.5: m.append({"role":random.choice(["system","developer"]),"content":text()})
    for t in range(random.randint(1,4)):
        m.append(user())
        for _ in range(random.randint(0,2)): m+=calls()
        if random.random()<.2: m.append({"role":"system","content":text()})
        m.append({"role":"assistant","content":random.choice([text(),[{"type":"text","text":text(),"citations":None}]])})
    m.append(user())
    for x in m: print(json.dumps(x))
    print("--")
