/* The words that the summary itself adds, by language. */
#include "summary/doc.h"

static const char *const codes[CTX_SUMMARY_LANGUAGES] = {"en", "de", "es", "zh"};

static const char *const headings[CTX_SUMMARY_LANGUAGES][CTX_DOC_SECTIONS] = {
    {"Requests", "Actions", "Outcomes", "Decisions", "State", "Open"},
    {"Aufträge", "Schritte", "Ergebnisse", "Entscheidungen", "Stand", "Offen"},
    {"Peticiones", "Acciones", "Resultados", "Decisiones", "Estado", "Pendiente"},
    {"请求", "操作", "结果", "决定", "状态", "未完成"},
};

static const char *const words[CTX_SUMMARY_LANGUAGES][CTX_DOC_WORDS] = {
    {"called", "read", "edited", "wrote", "patched", "ran", "searched for", "listed",
	"fetched", "delegated", "updated the list", "times", "waits for its result",
	"to do", "error", "asked", "directory", "nothing found", "results", "lines"},
    {"rief auf", "las", "änderte", "schrieb", "patchte", "führte aus", "suchte",
	"listete", "holte", "übergab", "führte die Liste nach", "mal",
	"wartet auf das Ergebnis", "zu tun", "Fehler", "gefragt", "Verzeichnis",
	"nichts gefunden", "Treffer", "Zeilen"},
    {"llamó a", "leyó", "editó", "escribió", "parcheó", "ejecutó", "buscó", "listó",
	"obtuvo", "delegó", "actualizó la lista", "veces", "espera su resultado",
	"por hacer", "error", "preguntó", "directorio", "nada encontrado", "resultados",
	"líneas"},
    {"调用", "读取", "编辑", "写入", "打补丁", "运行", "搜索", "列出", "获取", "委派",
	"更新清单", "次", "等待结果", "待办", "错误", "询问", "目录", "无结果", "条结果",
	"行"},
};

int
ctx_summary_language_find(const char *code)
{
	for (int i = 0; i < CTX_SUMMARY_LANGUAGES; i++)
		if (ctx_span_is(ctx_span_of(code), codes[i]))
			return i;
	return -1;
}

const char *
ctx_doc_heading(enum ctx_summary_language l, enum ctx_doc_section s)
{
	return headings[l][s];
}

const char *
ctx_doc_word(enum ctx_summary_language l, int word)
{
	return words[l][word];
}

int
ctx_doc_heading_find(struct ctx_span line)
{
	if (line.n < 4 || line.p[0] != '#' || line.p[1] != '#' || line.p[2] != ' ')
		return -1;
	line = ctx_span_trim(ctx_span_from(line, 3));
	for (int l = 0; l < CTX_SUMMARY_LANGUAGES; l++)
		for (int s = 0; s < CTX_DOC_SECTIONS; s++)
			if (ctx_span_is(line, headings[l][s]))
				return s;
	return -1;
}
