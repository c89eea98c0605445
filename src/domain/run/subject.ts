/** An attachment, in the form that `promptText` of the door for editors writes. */
const attachments = /<attachment uri="[^"\n]*">\n[\s\S]*?\n<\/attachment>/g

/** The person's own words in a text, from which its Run is named: attached files are removed. */
export function subjectOf(text: string): string {
  return text.replace(attachments, '').trim() || text
}
