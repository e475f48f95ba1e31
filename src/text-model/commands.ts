/** Patterns of sentences that give instructions to a model (prompt injection). */
const commands = [
  // "Ignore all previous instructions", in some languages.
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,60}\b(?:previous|prior|above|preceding|earlier|all|everything|instructions?|prompts?|rules?|text)\b/i,
  /\b(?:ignorier\p{L}*|vergiss|vergessen sie)\b.{0,60}\b(?:alle\p{L}*|anweisung\p{L}*|regeln|obige\p{L}*|bisherige\p{L}*)/iu,
  /\b(?:ignor[aeé]\p{L}*|olvid[ae]|oublie[zs]?|dimentica|esqueça)\b.{0,60}\b(?:instruc\p{L}*|istruzioni|instruções|anterior\p{L}*|précédent\p{L}*|tod[ao]s?|tout\p{L}*)/iu,
  /(?:игнорируй|забудь).{0,60}(?:инструкци|указани|предыдущ)|(?:忽略|无视|忘记).{0,30}(?:指令|指示|以上|之前)|(?:無視|忘れ).{0,30}(?:指示|命令)|(?:指示|命令).{0,10}(?:無視|忘れ)/iu,
  // Roles and markers of a conversation with a model.
  /\b(?:system prompt|you are now|you['’]re now|new instructions?|developer mode|jailbreak|do anything now|end of (?:the )?(?:text|document)|act as|pretend (?:to be|you)|instead of (?:summari[sz]ing|rewriting)|as an ai|language model|(?:ai|chat) ?(?:assistant|bot))\b/i,
  /^\s*(?:system|assistant|user|human|ai)\s*[:>]|<\/?(?:system|instructions?|assistant|user|document)\b|<\|?im_(?:start|end)|\[\/?(?:INST|SYS)\]/im,
  // Demands for a certain answer.
  /\b(?:respond|reply|answer|output|print|say|write|return|repeat|tell|reveal)\b.{0,40}(?:\b(?:only|exactly|just|following|your|the words?)\b|["“'‘:])/i,
  /\b(?:antworte|schreib\p{L}*|sag|gib)\b.{0,40}(?:\bnur\b|\bgenau\b|["„“:])|\b(?:respond[ea]|réponds|répondez|escrib[ea]|di|écris)\b.{0,40}["«“:]/iu,
  /\b(?:assistant|write a (?:poem|song|story|joke))\b/i,
];

/** Whether a sentence may be an instruction for a model. */
export const speaksToModels = (sentence: string) =>
  commands.some((command) => command.test(sentence));
