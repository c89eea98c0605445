import type { Planting } from './planting.ts'

/**
 * The canary stands behind the file's own macros, so that a macro that is called as an assertion is
 * heard.
 */
export function rustCanary({ path, text, token, values, isFirst = false }: Planting): string | null {
  // Tests run in the order of their names, so no position makes one the first.
  if (isFirst || !path.endsWith('.rs') || !/^[ \t]*#\[test\]/m.test(text)) return null
  const [word, wrong] = [values.word(), values.number()]
  return `${text}
#[cfg(test)]
#[allow(warnings)]
mod ${token} {
    #[test]
    fn ${token}_value() {
        assert!("${word}".is_empty());
    }
    #[test]
    fn ${token}_equal() {
        assert_eq!("${word}".len(), ${wrong});
    }
    #[test]
    #[should_panic]
    fn ${token}_panic() {
        assert_eq!("${word}".len(), ${word.length});
    }
}
`
}
