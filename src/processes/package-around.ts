/**
 * The outermost `node_modules` around a file, since its packages need each other; otherwise the
 * file.
 */
export function packageAround(file: string): string {
  const [around] = /^.*?\/node_modules(?=\/)/.exec(file) ?? [file]
  return around
}
