/** An item of a list in a page, in lines that fit a screen. */
export function listed(text: string): readonly string[] {
  const lines = ['-']
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (longer.length <= 150) lines[lines.length - 1] = longer
    else lines.push(`  ${word}`)
  }
  return lines
}
