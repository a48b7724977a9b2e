/* The alphabet of base64 (RFC 4648, section 4). */
#ifndef CTX_TOKENS_BASE64_H
#define CTX_TOKENS_BASE64_H

/* The six bits of a character, -1 for one outside the alphabet. */
static inline int
ctx_base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

#endif
