#include "test.h"

#include <stdlib.h>

#include "entity/recognise.h"

static struct ctx_recognisers *recognisers;

/* "type=name type=name" of all mentions. */
static void
mentions(const char *text, struct ctx_buf *out)
{
	struct ctx_mentions m = CTX_MENTIONS_INIT;

	ctx_buf_reset(out);
	ctx_buf_adds(out, "");
	ctx_recognise_scan(recognisers, ctx_span_of(text), &m);
	for (size_t i = 0; i < m.n; i++) {
		struct ctx_span name = ctx_mentions_name(&m, i);
		ctx_buf_addf(
		    out, "%s%s=%.*s", i ? " " : "", m.list[i].type, (int)name.n, name.p);
	}
	ctx_mentions_release(&m);
}

struct row {
	const char *text, *want;
};

static void
check_rows(const struct row *rows, size_t n)
{
	struct ctx_buf got = CTX_BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		mentions(rows[i].text, &got);
		if (strcmp(got.p, rows[i].want) != 0)
			printf("# in: %s\n", rows[i].text);
		CHECK_STR(got.p, rows[i].want);
	}
	ctx_buf_release(&got);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof(rows[0]))

static void
addresses(void)
{
	static const struct row rows[] = {
	    {"ping 10.0.0.1 failed", "ip_address=10.0.0.1"},
	    {"(192.168.1.254), then 8.8.8.8.",
		"ip_address=192.168.1.254 ip_address=8.8.8.8"},
	    {"inet 10.1.2.3/24 brd 10.1.2.255",
		"ip_address=10.1.2.3 ip_address=10.1.2.255"},
	    {"dns 9.9.9.10, 8.8.4.4; from 1.4.0.9 to 5.6.7.8:53 at 23.45.167.8",
		"ip_address=9.9.9.10 ip_address=8.8.4.4 ip_address=1.4.0.9 "
		"ip_address=5.6.7.8 ip_address=23.45.167.8"},
	    {"ip route 10.1.2.0/24 via 10.0.0.9",
		"prefix=10.1.2.0/24 ip_address=10.0.0.9"},
	    {"0.0.0.0/0 and 172.16.0.1/32", "prefix=0.0.0.0/0 ip_address=172.16.0.1"},
	    {"10.0.0.1-10.0.0.9", "ip_address=10.0.0.1 ip_address=10.0.0.9"},
	    {"src=10.0.0.1:443,dst=10.0.0.2", "ip_address=10.0.0.1 ip_address=10.0.0.2"},
	    {"ssh admin@10.9.8.7", "ip_address=10.9.8.7"},
	    {"{\"address\":\"10.20.30.40/28\"}", "ip_address=10.20.30.40"},
	    {"line\\n10.0.0.1\\t10.0.0.2", "ip_address=10.0.0.1 ip_address=10.0.0.2"},
	    {"10.0.0.1 255.255.255.0", "ip_address=10.0.0.1"},
	    {"access-list 1 permit 10.0.0.0 0.0.0.255", "ip_address=10.0.0.0"},
	    {"“10.0.0.1”→10.0.0.2。服务器10.0.0.3在",
		"ip_address=10.0.0.1 ip_address=10.0.0.2 "
		"ip_address=10.0.0.3"},
	    {"2001:db8::1", "ip_address=2001:db8::1"},
	    {"2001:0DB8:0:0:0:0:0:0001", "ip_address=2001:db8::1"},
	    {"inet6 fe80::1ff:fe23:4567:890a%eth2/64 scope link",
		"ip_address=fe80::1ff:fe23:4567:890a"},
	    {"2001:db8:1::/48 and ::/0.", "prefix=2001:db8:1::/48 prefix=::/0"},
	    {"listen on [::1]:8080", "ip_address=::1"},
	    {"::ffff:10.0.0.1", "ip_address=::ffff:10.0.0.1"},
	    {"neighbor 2001:db8::2: down", "ip_address=2001:db8::2"},
	    {"MAC 00:1A:2b:3c:4D:5e,", "mac_address=00:1a:2b:3c:4d:5e"},
	    {"00-1a-2b-3c-4d-5e", "mac_address=00:1a:2b:3c:4d:5e"},
	    {"0050.56ab.cdef DYNAMIC", "mac_address=00:50:56:ab:cd:ef"},
	};

	CHECK_ROWS(rows);
}

static void
no_addresses(void)
{
	static const struct row rows[] = {
	    {"version 1.2.3.4 of it", ""},
	    {"v1.2.3.4, Chrome/91.0.4472.124 Safari/537.36", ""},
	    {"dpkg (1.4.0.9) unstable; it was 1.15.8.10, see 11.3.3.5", ""},
	    {"requests==2.31.0.1 foo>=1.2.3.4 lib-4.3.2.1.tar", ""},
	    {"Firmware: 12.1.0.4", ""},
	    {"1.2.3.4-5 1.2.3.4.5 1.2.3 256.1.1.1 01.2.3.4", ""},
	    {"mask 255.255.255.252, wildcard 0.0.0.3", ""},
	    {"OID .1.3.6.1.2.1.1 and 1.3.6.1.4.1", ""},
	    {"section 3.2.1.4 says", ""},
	    {"at 12:30:45 on 2024-05-15T10:00:00", ""},
	    {"std::vector<int> a::b Foo::Bar dead::beef", ""},
	    {"x[::2] y[::1] [1::2] 10::20", ""},
	    {"wwn 50:06:01:60:3b:a0:12:34", ""},
	    {"MD5 16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48", ""},
	    {"1:2:3:4:5:6:7:8 ratio 16:9", ""},
	    {"any 0.0.0.0:80, brd ff:ff:ff:ff:ff:ff link 00:00:00:00:00:00", ""},
	    {"24-01-15-10-30-00 backup 2024.0115.1230", ""},
	    {"f64::EPSILON u8::MAX b::c1", ""},
	};

	CHECK_ROWS(rows);
}

static void
numbered_things(void)
{
	static const struct row rows[] = {
	    {"VLAN 10", "vlan=10"},
	    {"vlan10, Vlan-20 and vlan id 30", "vlan=10 vlan=20 vlan=30"},
	    {"switchport access vlan 4094", "vlan=4094"},
	    {"vlans 10, 20 and 30-40 are up", "vlan=10 vlan=20 vlan=30 vlan=40"},
	    {"encapsulation dot1Q 100", "vlan=100"},
	    {"{\"vlan\": 7}", ""},
	    {"vlan: 7", "vlan=7"},
	    {"vlan 4095, vlan 0, vlan 10.5, vlan database", ""},
	    {"ip vrf forwarding CUST-A", "vrf=CUST-A"},
	    {"vrf definition mgmt", "vrf=mgmt"},
	    {"set routing-instances cust_a instance-type vrf", "vrf=cust_a"},
	    {"show ip route vrf RED", "vrf=RED"},
	    {"in vrf customer-b there", "vrf=customer-b"},
	    {"the vrf table, VRF BGP routes, a VRF is VRF-lite", ""},
	    {"AS64500 and AS 65001", "asn=AS64500 asn=AS65001"},
	    {"router bgp 65010\n neighbor 10.0.0.2 remote-as 65020",
		"asn=AS65010 ip_address=10.0.0.2 asn=AS65020"},
	    {"ASN: 4200000000", "asn=AS4200000000"},
	    {"AS1.10", "asn=AS65546"},
	    {"ip as-path, autonomous-system 65001", "asn=AS65001"},
	    {"as 65001 of them, as 5 people, as1 AS 5 ASN1", ""},
	    {"in rack A12 of row 3", "rack=A12"},
	    {"Rack 42, rack-17", "rack=42 rack=17"},
	    {"a 42U rack, rack 42U, rack units, rack mount, I rack I", ""},
	    {"at site DC1, site NYC-01 and Site: LHR", "site=DC1 site=NYC-01 site=LHR"},
	    {"site: Berlin, site \"New York\"", "site=Berlin site=New York"},
	    {"Site: Köln\nSite = Bonn.", "site=Köln site=Bonn"},
	    {"site: None\nSite: TBD, site=Unknown; the site: However, site: Yes.", ""},
	    {"site: Click here, Site: TODO, site \"new\", site Berlin", ""},
	    {"the site is a web site, cross-site XSS, site URL, on-site 3", ""},
	};

	CHECK_ROWS(rows);
}

static void
interfaces(void)
{
	static const struct row rows[] = {
	    {"Gi0/1 GigabitEthernet1/0/24 Te1/1/1.100",
		"interface=GigabitEthernet0/1 interface=GigabitEthernet1/0/24 "
		"interface=TenGigabitEthernet1/1/1.100"},
	    {"sw1 Gig 0/0 144 S I Fas 1/0/1", "host=sw1 interface=GigabitEthernet0/0 "
					      "interface=FastEthernet1/0/1"},
	    {"interface GigabitEthernet 0/0/0", "interface=GigabitEthernet0/0/0"},
	    {"gi1/0/3, eth1/49 Eth1/1", "interface=GigabitEthernet1/0/3 "
					"interface=Ethernet1/49 interface=Ethernet1/1"},
	    {"Port-channel10 Po10 port-channel 7", "interface=Port-channel10 "
						   "interface=Port-channel10"},
	    {"Loopback0 Lo0 Tunnel100 Bundle-Ether1.200 BE12",
		"interface=Loopback0 interface=Loopback0 interface=Tunnel100 "
		"interface=Bundle-Ether1.200 interface=Bundle-Ether12"},
	    {"HundredGigE0/0/0/1 Hu0/0/0/1",
		"interface=HundredGigE0/0/0/1 interface=HundredGigE0/0/0/1"},
	    {"xe-0/0/1 ge-0/0/0.0 et-0/1/2:3 ae0 irb.100 st0.1 lo0.0",
		"interface=xe-0/0/1 interface=ge-0/0/0.0 interface=et-0/1/2:3 "
		"interface=ae0 "
		"interface=irb.100 interface=st0.1 interface=lo0.0"},
	    {"Ethernet49/1 Et49/1 Management1 Ma1/1",
		"interface=Ethernet49/1 interface=Ethernet49/1 interface=Management1 "
		"interface=Management1/1"},
	    {"10GE1/0/1 XGigabitEthernet0/0/1 Eth-Trunk1 Vlanif10",
		"interface=10GE1/0/1 interface=XGigabitEthernet0/0/1 "
		"interface=Eth-Trunk1 "
		"interface=Vlanif10"},
	    {"eth0 eth0.100 ens192 enp3s0f1 wlp2s0 eno1 docker0",
		"interface=eth0 interface=eth0.100 interface=ens192 interface=enp3s0f1 "
		"interface=wlp2s0 interface=eno1 interface=docker0"},
	    {"br-0a1b2c3d4e5f veth1a2b3c4 enx001122334455 wg0: bond0,",
		"interface=br-0a1b2c3d4e5f interface=veth1a2b3c4 "
		"interface=enx001122334455 "
		"interface=wg0 interface=bond0"},
	    {"2: eth0: <BROADCAST,UP>", "interface=eth0"},
	    {"bond0.100 ae12.1000, team1.4094",
		"interface=bond0.100 interface=ae12.1000 interface=team1.4094"},
	    {"Ten-GigabitEthernet1/0/49 M-GigabitEthernet0/0/0",
		"interface=Ten-GigabitEthernet1/0/49 "
		"interface=M-GigabitEthernet0/0/0"},
	    {"Bridge-Aggregation1 Route-Aggregation2.10 Twenty-FiveGigE1/0/1",
		"interface=Bridge-Aggregation1 interface=Route-Aggregation2.10 "
		"interface=Twenty-FiveGigE1/0/1"},
	    {"Serial0/0/0:1 is down", "interface=Serial0/0/0:1"},
	};

	CHECK_ROWS(rows);
}

static void
no_interfaces(void)
{
	static const struct row rows[] = {
	    {"ten 5/6 of se7en and po8 or te1 gi2 br", ""},
	    {"ethernet 2 times, serial 5, tunnel 3", ""},
	    {"team0x br0wn eth0(x) eth0[1] en1.foo veth", ""},
	    {"a9b-0/0/0 sp-1 ge-1 e1-2 step-0/0", ""},
	    {"<AE03> WG14 TAP13 st.4 ix86", ""},
	    {"lo 0 and null 0, wan 1", ""},
	    {"10GE of data, 3GE", ""},
	    {"it was open 24/7, 50/50, 1/2", ""},
	};

	CHECK_ROWS(rows);
}

static void
hosts(void)
{
	static const struct row rows[] = {
	    {"sw-core-01 and DMI01-AKRON-RTR01",
		"host=sw-core-01 host=DMI01-AKRON-RTR01"},
	    {"leaf1-dc2, spine101; fw02.", "host=leaf1-dc2 host=spine101 host=fw02"},
	    {"web01 and db-prod-1 are down", "host=web01 host=db-prod-1"},
	    {"www.example.com", "host=www.example.com"},
	    {"Router1.Lab.Example.NET:22", "host=Router1.Lab.Example.NET"},
	    {"mail.google.com. Next", "host=mail.google.com"},
	    {"web-1.prod.acme.co", "host=web-1.prod.acme.co"},
	    {"nas.home.internal printer-3.local",
		"host=nas.home.internal host=printer-3.local"},
	    {"hostname edge-fra", "host=edge-fra"},
	    {"Hostname: r7", "host=r7"},
	    {"see github.com/foo/bar", "host=github.com"},
	};

	CHECK_ROWS(rows);
}

static void
no_hosts(void)
{
	static const struct row rows[] = {
	    {"utf-8 x86-64 gpt-4 claude-3 sha-256 base64 h2 v2", ""},
	    {"node-18 app2 server 2 core i7 web2 db2", ""},
	    {"self.config.name os.path.is foo.bar() data.info user.id", ""},
	    {"java.net System.Net socket.io asp.net self.app", ""},
	    {"README.md main.rs test.py a.out index.js Node.js", ""},
	    {"end of sentence.Next one. e.g. this, i.e. that", ""},
	    {"well online. Keep it. 1.message.id 3.io", ""},
	    {"hostname is not set, hostname(8)", ""},
	    {"db-id-1 message-key-node-2 server2024", ""},
	    {"best.pt kernel.cl this.form.invalid regex.test(x) a.io", ""},
	    {"x11proto-xext-dev amd64-libs-dev libc6-dev x86-svr4 postinst.in x-1.y.in",
		""},
	    {"step-1 phase-2 top-10 covid-19 part-3 iso-8601", ""},
	    {"--web01 app.kubernetes myHost.example.com()", ""},
	};

	CHECK_ROWS(rows);
}

static void
locators(void)
{
	static const struct row rows[] = {
	    {"see https://Example.com/A?b=c#d.", "url=https://example.com/A?b=c#d"},
	    {"[x](http://a.io/b_(c)) and <ftp://f.org/>",
		"url=http://a.io/b_(c) url=ftp://f.org/"},
	    {"postgres://user:secret@db.lan:5432/x", "url=postgres://db.lan:5432/x"},
	    {"\"http://10.0.0.1:8080/v1\",", "url=http://10.0.0.1:8080/v1"},
	    {"git clone ssh://git@host/r.git!", "url=ssh://host/r.git"},
	    {"at https://bücher.de/x, https://例え.jp/ and https://пример.рф:81.",
		"url=https://bücher.de/x url=https://例え.jp/ "
		"url=https://пример.рф:81"},
	    {"anna@bücher.de, Bob@例え.jp and x@пример.рф.",
		"email=anna@bücher.de email=Bob@例え.jp email=x@пример.рф"},
	    {"icon@2x.png und @bücher.de, a@ü, a@b..ü.de", ""},
	    {"访问https://example.com的页面，https://www.例え.jpを見て",
		"url=https://example.com url=https://www.例え.jp"},
	    {"访问https://example.com/路径。然后", "url=https://example.com/路径"},
	    {"http:// is no url, c://", ""},
	    {"mail Bob.Smith+x@Example.ORG, now", "email=Bob.Smith+x@Example.ORG"},
	    {"<a_b@mail.example.co.uk>", "email=a_b@mail.example.co.uk"},
	    {"git@github.com:org/repo icon@2x.png pkg@1.2.3 @foo.bar a@b",
		"host=github.com"},
	    {"getty@tty1.service", ""},
	    {"edit /etc/hosts and ~/notes.txt", "path=/etc/hosts path=~/notes.txt"},
	    {"./run.sh ../lib/x src/main.c:12:5",
		"path=run.sh path=../lib/x path=src/main.c"},
	    {"File \"/home/a/b.py\", line 3", "path=/home/a/b.py"},
	    {"C:\\Users\\me\\x.txt D:/data/y",
		"path=C:\\Users\\me\\x.txt path=D:/data/y"},
	    {"scp host:/var/log/x.log .", "path=/var/log/x.log"},
	    {"/tmp and /dev/null", "path=/tmp path=/dev/null"},
	    {"在/etc/hosts。 “src/a.c”…", "path=/etc/hosts path=src/a.c"},
	    {"/opt/größe/ü.txt", "path=/opt/größe/ü.txt"},
	};

	CHECK_ROWS(rows);
}

static void
no_paths(void)
{
	static const struct row rows[] = {
	    {"and/or he/she TCP/IP I/O N/A w/o km/h 24/7", ""},
	    {"2024/05/15 05/15/2024 15/05", ""},
	    {"text/html application/json image/svg+xml", ""},
	    {"GET /api/v1/chat and /users/{id}", ""},
	    {"</div> <br/> s/foo/bar/g // comment", ""},
	    {"src/*.c src/{a,b}.c $HOME/x.c ${X}/y.c", ""},
	    {"Math.floor(a/b.c)", "path=a/b.c"},
	    {"/foo/bar /regex/", ""},
	};

	CHECK_ROWS(rows);
}

static void
identifiers(void)
{
	static const struct row rows[] = {
	    {"id 018F3A2B-1c2d-7e4f-8a9b-0123456789ab.",
		"uuid=018f3a2b-1c2d-7e4f-8a9b-0123456789ab"},
	    {"018f3a2b-1c2d-7e4f-8a9b-0123456789ab-x "
	     "018f3a2b-1c2d-7e4f-8a9b-0123456789abc",
		""},
	    {"commit 4f2a1b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a",
		"commit=4f2a1b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a"},
	    {"reverted in commit 4f2a1b9 by", "commit=4f2a1b9"},
	    {"4f2a1b9 Fix the parser\n8e0c3d7 (HEAD) x\n",
		"commit=4f2a1b9 commit=8e0c3d7"},
	    {"HEAD is now at 8e0c3d7 x", "commit=8e0c3d7"},
	    {"   4f2a1b9..8e0c3d7  main -> main", "commit=4f2a1b9 commit=8e0c3d7"},
	    {"[main 4f2a1b9] Add", "commit=4f2a1b9"},
	    {"index 4f2a1b9..8e0c3d7 100644", ""},
	    {"deadbeef cafebabe 1234567 a1b2c3d decade facade effaced", ""},
	    {"00000a0 7f45 4c46\n00000b0 0000", ""},
	    {"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		""},
	    {"sha1:4f2a1b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a", ""},
	    {"#4f2a1b color: #a1b2c3d4; 0xdeadbe12", ""},
	};

	CHECK_ROWS(rows);
}

static void
offsets(void)
{
	const char *text = "é: VLAN id 12, https://x.org/a.";
	struct ctx_mentions m = CTX_MENTIONS_INIT;

	ctx_recognise_scan(recognisers, ctx_span_of(text), &m);
	CHECK_INT(m.n, 2);
	if (m.n == 2) {
		CHECK_INT(m.list[0].offset, 4);
		CHECK_INT(m.list[0].len, strlen("VLAN id 12"));
		CHECK_INT(m.list[1].offset, 16);
		CHECK_INT(m.list[1].len, strlen("https://x.org/a"));
	}
	ctx_mentions_release(&m);
}

/* A paragraph of prose and a piece of code without a single entity. */
static void
plain_text(void)
{
	static const struct row rows[] = {
	    {"The committee as a whole decided, at about 10:30 on 12.05.2024, that "
	     "version 2.0 "
	     "(or 2.0.1) costs $1,234.56 - roughly 3/4 of last year's. As 20 members "
	     "said: "
	     "racks of clothes, a site visit, the host's name; e.g. the e-mail wasn't "
	     "sent. "
	     "We'd like A/B tests, 5-10 of them, at +1 (555) 123-4567 or 192.168.",
		""},
	    {"for (int i = 0; i < n; i++) { a[i] = b->c.d / 2 + x::y(e) % 7; }\n"
	     "if err := foo.Bar(ctx, &opts{a: 1}); err != nil { return 0x7fff5fbff8a0 }\n"
	     "const x = await fetch(`${base}/v1/${id}`).then(r => r.json());",
		""},
	};

	CHECK_ROWS(rows);
}

/* No input takes time that grows faster than its length: these took a square of it if a
 * recogniser looked ahead without bound. Done when it ends. */
static void
long_runs(void)
{
	static const char *const units[] = {"a.", "a@", "a:/", "a://(", "1.2.3.4.",
	    "::", "a-", "vlan ", "sw-1-", "0f", "/a", "a/", "~", "as-", "[", "=", "(",
	    "\\n", "é", "C:/"};
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_mentions m = CTX_MENTIONS_INIT;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		ctx_buf_reset(&text);
		while (text.n < 1000000)
			ctx_buf_adds(&text, units[i]);
		ctx_mentions_reset(&m);
		ctx_recognise_scan(recognisers, ctx_buf_span(&text), &m);
		for (size_t k = 1; k < m.n; k++)
			CHECK(
			    m.list[k].offset >= m.list[k - 1].offset + m.list[k - 1].len);
	}
	ctx_mentions_release(&m);
	ctx_buf_release(&text);
}

int
main(void)
{
	recognisers = ctx_recognisers_new();
	RUN(addresses);
	RUN(no_addresses);
	RUN(numbered_things);
	RUN(interfaces);
	RUN(no_interfaces);
	RUN(hosts);
	RUN(no_hosts);
	RUN(locators);
	RUN(no_paths);
	RUN(identifiers);
	RUN(offsets);
	RUN(plain_text);
	RUN(long_runs);
	ctx_recognisers_free(recognisers);
	return TEST_END();
}
