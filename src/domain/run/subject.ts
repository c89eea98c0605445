/** Each attachment, as `promptText` of the door for editors writes it. */
const attachments = /<attachment uri="[^"\n]*">\n[\s\S]*?\n<\/attachment>/g

/** A person's own words in a text, which name its Run: without the files that are attached. */
export function subjectOf(text: string): string {
  return text.replace(attachments, '').trim() || text
}
