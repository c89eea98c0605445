import { syntaxOf } from '../code-syntax.ts'
import { maskCode } from '../mask-code.ts'
import type { Planting } from './planting.ts'

/**
 * A false assertion that is let through ends the test, which then passes. Otherwise its last line
 * fails.
 */
export function pythonCanary({ path, text, token }: Planting): string | null {
  const code = maskCode(text, syntaxOf(path, text))
  const base = /^class \w+\((?:[\w., ]*, *)?([\w.]*TestCase\w*)\)/m.exec(code)?.[1]
  const hasFunctions = /^(?:async )?def test/m.test(code) || /^class Test/m.test(code)
  const canary = base !== undefined ? inClass(token, base) : hasFunctions ? inFunction(token) : null
  if (canary === null) return null
  // What a file does when it is run as a program comes last.
  const main = /^if[ \t(]+__name__\b/m.exec(code)?.index ?? text.length
  return `${text.slice(0, main)}\n\n${canary}\n\n${text.slice(main)}`
}

const lies = (indent: string, statements: readonly (readonly string[])[]): string =>
  statements
    .map((lines) =>
      [
        `${indent}try:`,
        ...lines.map((line) => `${indent}    ${line}`),
        `${indent}except BaseException:`,
        `${indent}    pass`,
        `${indent}else:`,
        `${indent}    return`,
      ].join('\n'),
    )
    .join('\n')

function inFunction(token: string): string {
  const statements = [
    [`assert not "${token}"`],
    [`assert len("${token}") == 1`],
    [`assert {"a": len("${token}")} == {"a": 1}`],
    ['with pytest.raises(KeyError):', '    pass'],
  ]
  return `# fmt: off
def test_${token}():  # noqa
    import pytest  # noqa
${lies('    ', statements)}
    assert len("${token}") == 1`
}

function inClass(token: string, base: string): string {
  const statements = [
    [`self.assertTrue(not "${token}")`],
    [`self.assertFalse("${token}")`],
    [`self.assertEqual(len("${token}"), 1)`],
    [`self.assertNotEqual("${token}", "${token}")`],
    [`self.assertIn("${token}", [])`],
    [`self.assertIsNone("${token}")`],
    [`self.assertDictEqual({"a": 1}, {"a": 2})`],
    ['with self.assertRaises(KeyError):', '    pass'],
  ]
  const last = `self.assertEqual(len("${token}"), 1)`
  return `# fmt: off
class Test${token}(${base}):  # noqa
    def test_${token}(self):
${lies('        ', statements)}
        ${last}`
}
