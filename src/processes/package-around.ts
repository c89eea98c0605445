/** The outermost `node_modules` around a file, whose packages need each other; else the file. */
export function packageAround(file: string): string {
  const [around] = /^.*?\/node_modules(?=\/)/.exec(file) ?? [file]
  return around
}
