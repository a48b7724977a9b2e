/* Error reporting, used by every function of the library that can fail. */
#ifndef CTX_BASE_ERR_H
#define CTX_BASE_ERR_H

/* Marks a parameter that a function does not use, but must have because of its callback
 * type. */
#define CTX_UNUSED __attribute__((unused))

/* Error classes that a caller can act on. cmd/cli.c maps each class to an exit status. */
enum ctx_code {
	CTX_OK,
	/* the answer is no: the session does not exist, a request does not fit, data does
	 * not match, … */
	CTX_EANSWER,
	CTX_EUSAGE, /* invalid options, operands or settings */
	CTX_EINPUT, /* invalid input */
	/* input or output, a remote service, a provider or an external command failed */
	CTX_EIO,
	CTX_ESTORE, /* the store is missing, damaged or too new */
	CTX_EBUSY,  /* another process uses the store; a retry may succeed */
	/* the messages of a session were moved to or from an archive while they were
	 * read; read them again */
	CTX_EMOVED,
};

#define CTX_ERR_SIZE 1000

/* An error, owned by the caller and initialized with CTX_ERR_INIT. The last parameter of
 * a function that can fail is a pointer to such an error. On failure, the function fills
 * in the error and returns -1; on success, it leaves the error unchanged. The functions
 * of base/ and json/, and the functions that parse a record or a message, also accept
 * NULL instead of this pointer, for callers that ignore the error. */
struct ctx_err {
	enum ctx_code code;
	char msg[CTX_ERR_SIZE]; /* one line, lower case, no period, no program name */
};

#define CTX_ERR_INIT       \
	{                  \
		CTX_OK, "" \
	}

/* Sets the code and the message (printf format). Control characters and invalid UTF-8 are
 * written as \xNN, so that hostile input cannot split the message into several lines.
 * Always returns -1, so that a caller can write: return ctx_err_set(err, CTX_EINPUT,
 * "…"). */
int ctx_err_set(struct ctx_err *err, enum ctx_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Like ctx_err_set, but also appends ": " and strerror(errnum) to the message. */
int ctx_err_sys(struct ctx_err *err, enum ctx_code code, int errnum, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts a prefix (printf format) and ": " in front of the message in err. Returns -1. */
int ctx_err_prefix(struct ctx_err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* For static analyzers, which see one file at a time and therefore cannot know that the
 * functions above always return -1. */
#ifdef CTX_ANALYZER
#define ctx_err_set(...) (ctx_err_set(__VA_ARGS__), -1)
#define ctx_err_sys(...) (ctx_err_sys(__VA_ARGS__), -1)
#define ctx_err_prefix(...) (ctx_err_prefix(__VA_ARGS__), -1)
#endif

#endif
