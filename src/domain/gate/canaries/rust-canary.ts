import type { Planting } from './planting.ts'

/** Behind the file's own macros, so that one of them that is called as an assertion is heard. */
export function rustCanary({ path, text, token }: Planting): string | null {
  if (!path.endsWith('.rs') || !/^[ \t]*#\[test\]/m.test(text)) return null
  return `${text}
#[cfg(test)]
#[allow(warnings)]
mod ${token} {
    #[test]
    fn ${token}_value() {
        assert!("${token}".is_empty());
    }
    #[test]
    fn ${token}_equal() {
        assert_eq!("${token}".len(), 1);
    }
    #[test]
    #[should_panic]
    fn ${token}_panic() {
        assert_eq!("${token}".len(), ${token.length});
    }
}
`
}
