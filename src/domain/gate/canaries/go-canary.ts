import type { Planting } from './planting.ts'

const usesTesting = /^func Test\w*\([a-z_]\w* \*testing\.T\)/m

export function goCanary({ path, text, token, values, isFirst = false }: Planting): string | null {
  const found = usesTesting.exec(text)
  if (!path.endsWith('_test.go') || found === null) return null
  const wrong = values.number()
  const canary = `
func Test_${token}(t *testing.T) {
	if got := len("${values.word()}"); got != ${wrong} {
		t.Errorf("got %d, want ${wrong}", got)
	}
}
`
  // A comment belongs to the code below it.
  const comment = /(?:^\/\/[^\n]*\n)+$/m.exec(text.slice(0, found.index))?.index ?? found.index
  const at = isFirst ? comment : text.length
  return `${text.slice(0, at)}${canary}${isFirst ? '\n' : ''}${text.slice(at)}`
}
