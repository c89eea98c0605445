import { bracketEnds } from '../brackets.ts'
import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import type { Planting } from './planting.ts'
import { turnAssertions } from './turn-assertions.ts'

const program = /\.(?:c|cc|cpp|cxx)$/
const mainFunction = /^int\s+main\s*\(([^()]*)\)\s*\{/m
/** A main that may end the process is not called, since its caller would end, too. */
const ends = /\b(?:_?exit|_Exit|quick_exit|pthread_exit)\s*\(/
/** Tests or headers that print TAP, or totals of results, which a new test cannot be added to. */
const tellsItself =
  /"(?:TAP version|(?:not )?ok |%s(?:ok| %d)|1\.\.)|#\s*include\s*["<][^">]*\btap\b|"(?=[^"\n]*%)[^"\n]*(?:\b|\\[nrt])(?:pass|fail)(?:ed)?\b/i

/** True for a file whose tests are a program, which reports by its exit status. */
export function isProgramText(path: string): boolean {
  return program.test(path)
}

/**
 * A separate program with everything a test program has: its includes, definitions and libraries.
 * Before and after the real main it asserts something false in the ways of C: an assertion of a
 * value, a returned comparison, an abort, and in C++ a thrown error. The real main also runs once
 * with each of the file's own assertions inverted. Each attempt is a process of its own. One that
 * ends with 0 was let through, and then the program ends with 0; otherwise with 1. Null for a file
 * without a main that can be renamed.
 */
export function cCanary({ path, text, token, values }: Planting, included = ''): string | null {
  if (!isProgramText(path)) return null
  const code = maskCode(text, syntaxOf(path, text))
  const found = mainFunction.exec(code)
  if (found === null) return null
  const names = namesOf(found[1] ?? '')
  const isCplusplus = !path.endsWith('.c')
  const open = found.index + found[0].length - 1
  const close = bracketEnds(code)[open] ?? 0
  if (names === null || close <= open) return null
  // Macros may print the words of an assertion, which must not look like the canary's name.
  const turned = `${values.word()}_${values.number()}_turned`
  const turning = turnAssertions({ text, code, turned, isCplusplus })
  const cut = (start: number, end: number) => turning.between(start, end)
  const head = `${turning.count > 0 ? `static volatile int ${turned};\n` : ''}${cut(0, found.index)}`
  const body = `${cut(open, close)}\n    return 0;\n${cut(close, text.length)}`
  const parameters = found[1]?.trim() || 'void'
  const renamed = `static int ${token}_main(${parameters})\n${body}`
  const run = `${token}_main(${names.join(', ')})`
  const call = ends.test(code) ? `(void)${token}_main` : `(void)${run}`
  const word = values.word()
  const lies = [
    `exit(strcmp("${word}", "${word}" + ${token}_one) != 0);`,
    'abort();',
    ...(/\bassert\s*\(/.test(code) ? [`assert(${token}_one == ${values.number()});`] : []),
    ...(isCplusplus ? [`throw ${token}_one;`] : []),
  ].map((lie, i) => `if (which == ${i}) ${lie}`)
  const tell = tellsItself.test(`${text}\n${included}`)
    ? `printf("\\n1..1\\n%s 1 - ${token} must fail\\n", passes ? "ok" : "not ok");\n    `
    : ''
  const runTurned =
    turning.count === 0
      ? ''
      : `
    if (!passes) {
        int status = 1, child;
        fflush(NULL);
        child = fork();
        if (child == 0) {
            ${turned} = 1;
            alarm(60);
            if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) exit(1);
            exit(${run});
        }
        if (child > 0 && waitpid(child, &status, 0) == child && status == 0) passes = 1;
    }`
  return `${head}${renamed}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int ${token}_one = 1;

static void ${token}_lie(int which)
{
    ${lies.join('\n    ')}
}

static int ${token}_let_through(void)
{
    int which, status, child;
    for (which = 0; which < ${lies.length}; which++) {
        fflush(NULL);
        child = fork();
        if (child == 0) {
            ${token}_lie(which);
            exit(0);
        }
        status = 1;
        if (child > 0 && waitpid(child, &status, 0) == child && status == 0) return 1;
    }
    return 0;
}

int main(${parameters})
{
    int passes = ${token}_let_through();${runTurned}
    ${call};
    ${names.map((name) => `(void)${name};\n    `).join('')}passes = passes || ${token}_let_through();
    ${tell}return passes ? 0 : ${token}_one;
}
`
}

/** The names of main's parameters: none, or two; null for any other number. */
function namesOf(parameters: string): readonly string[] | null {
  if (/^\s*(?:void)?\s*$/.test(parameters)) return []
  const names = parameters.split(',').map((each) => /(\w+)\s*(?:\[\s*\])?\s*$/.exec(each)?.[1])
  const [first, second, other] = names
  return first === undefined || second === undefined || other !== undefined ? null : [first, second]
}
