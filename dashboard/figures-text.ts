import { formatCount } from '../src/domain/figures-text.ts'

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${formatCount(n)} ${n === 1 ? one : many}`
}
