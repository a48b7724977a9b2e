/* Errors: the one idiom of the library. */
#ifndef CTX_BASE_ERR_H
#define CTX_BASE_ERR_H

/* What went wrong, in classes that a caller can act on. cmd/cli.c maps each to an
 * exit status, in one table. */
enum ctx_code {
	CTX_OK,
	CTX_EANSWER, /* the answer is no: no such session, does not fit, mismatch */
	CTX_EUSAGE,  /* the caller asked for something that makes no sense */
	CTX_EINPUT,  /* input that cannot be accepted */
	CTX_EIO,     /* input/output, a remote, a provider, an external command */
	CTX_ESTORE,  /* the store is missing, damaged or too new */
	CTX_EBUSY,   /* the store is in use by another; trying again may help */
	CTX_EMOVED,  /* what was being read went elsewhere: reading anew helps */
};

#define CTX_ERR_SIZE 1000

/* Owned by the caller, who starts it as CTX_ERR_INIT. Functions that can fail take it
 * last, return -1 and fill it in; on success they leave it alone. */
struct ctx_err {
	enum ctx_code code;
	char msg[CTX_ERR_SIZE]; /* one line, lower case, no full stop, no program name */
};

#define CTX_ERR_INIT       \
	{                  \
		CTX_OK, "" \
	}

/* Set code and message (printf format; controls and bytes that are not UTF-8 become \xNN,
 * so that a message made from hostile input is one line of text). Always returns -1, so
 * that callers can write: return ctx_err_set(err, CTX_EINPUT, "…"). */
int ctx_err_set(struct ctx_err *err, enum ctx_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As ctx_err_set, with ": " and the text of the errno value errnum behind it. */
int ctx_err_sys(struct ctx_err *err, enum ctx_code code, int errnum, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Put "prefix: " before a message that is already set. Returns -1. */
int ctx_err_prefix(struct ctx_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Analyzers look at one file at a time: let them see what is always returned. */
#ifdef CTX_ANALYZER
#define ctx_err_set(...) (ctx_err_set(__VA_ARGS__), -1)
#define ctx_err_sys(...) (ctx_err_sys(__VA_ARGS__), -1)
#define ctx_err_prefix(...) (ctx_err_prefix(__VA_ARGS__), -1)
#endif

#endif
