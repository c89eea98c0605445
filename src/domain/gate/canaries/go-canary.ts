import type { Planting } from './planting.ts'

const usesTesting = /^func Test\w*\([a-z_]\w* \*testing\.T\)/m

export function goCanary({ path, text, token }: Planting): string | null {
  if (!path.endsWith('_test.go') || !usesTesting.test(text)) return null
  return `${text}
func Test_${token}(t *testing.T) {
	if got := len("${token}"); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}
`
}
