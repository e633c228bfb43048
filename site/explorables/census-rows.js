// Written by census_table.py: the attention classes of transformers, one a line.
globalThis.CENSUS = `model|cls|line|added|scale|default|qknorm|besides
embedding_gemma2|EmbeddingGemma2Attention|310|2026-11|1|16/sqrt(d)|RMS|RoPE's factor
granite_docling|GraniteDoclingTextAttention|188|2026-11|config|0.125/sqrt(d)||RoPE's factor
inkling2|Inkling2FullAttention|501|2026-11|per position|per position|clip|sink, bias
mistral_large4|MistralLarge4TextAttention|329|2026-11|learned|learned||RoPE's factor
muse_spark|MuseSparkTextAttention|344|2026-11|1/sqrt(d) x config|5.47/sqrt(d)|RMS|RoPE's factor
diffusion_gemma|DiffusionGemmaEncoderTextAttention|262|2026-08|1|16/sqrt(d)|RMS|RoPE's factor
diffusion_gemma|DiffusionGemmaDecoderTextAttention|359|2026-08|1|16/sqrt(d)|RMS|RoPE's factor
granite_swa|GraniteSWAAttention|122|2026-08|config|11.3/sqrt(d)||sink, RoPE's factor
granitemoe_swa|GraniteMoeSWAAttention|202|2026-08|config|11.3/sqrt(d)||sink, RoPE's factor
inkling|InklingAttention|187|2026-08|1/d|0.0884/sqrt(d)|RMS|bias
muse_glimmer|MuseGlimmerTextAttention|276|2026-08|1/sqrt(d) x config|3.87/sqrt(d)|RMS|RoPE's factor
videoprism|VideoPrismMultiheadAttentionPoolingHead|591|2026-08|learned|learned||
zaya|ZayaAttention|352|2026-08|learned|learned|RMS|RoPE's factor
gemma4_unified|Gemma4UnifiedTextAttention|330|2026-06|1|16/sqrt(d)|RMS|RoPE's factor
granite4_vision|Granite4VisionTextAttention|331|2026-06|config|11.3/sqrt(d)||RoPE's factor
gemma4|Gemma4AudioAttention|256|2026-04|learned|learned||soft cap, bias
gemma4|Gemma4VisionAttention|902|2026-04|1|8/sqrt(d)|RMS|RoPE's factor
gemma4|Gemma4TextAttention|1150|2026-04|1|16/sqrt(d)|RMS|RoPE's factor
mistral4|Mistral4Attention|363|2026-04|per position|per position||RoPE's factor
timesfm2_5|TimesFm2_5Attention|257|2026-04|learned|learned|RMS|RoPE's factor
ministral3|Ministral3Attention|110|2026-01|per position|per position||RoPE's factor
evolla|EvollaSequenceAlignerCrossAttention|762|2025-11|1/sqrt(heads)|2/sqrt(d)||
longcat_flash|LongcatFlashMLA|320|2025-11|1/sqrt(d) x YaRN|2/sqrt(d)||RoPE's factor
dia|DiaSelfAttention|258|2025-07|1|11.3/sqrt(d)||RoPE's factor
dia|DiaCrossAttention|320|2025-07|1|11.3/sqrt(d)||
gemma3n|Gemma3nAudioAttention|319|2025-07|learned|learned||soft cap, bias
gemma3n|Gemma3nTextAttention|1161|2025-07|1|16/sqrt(d)|RMS|RoPE's factor
granitemoehybrid|GraniteMoeHybridAttention|122|2025-07|config|11.3/sqrt(d)||RoPE's factor
granitemoeshared|GraniteMoeSharedAttention|266|2025-07|config|11.3/sqrt(d)||RoPE's factor
timesfm|TimesFmAttention|207|2025-07|learned|learned||
zamba2|Zamba2Attention|208|2025-07|1.41/sqrt(d)|1.41/sqrt(d)||RoPE's factor
granite|GraniteAttention|114|2024-12|config|11.3/sqrt(d)||RoPE's factor
granitemoe|GraniteMoeAttention|263|2024-12|config|11.3/sqrt(d)||RoPE's factor
zamba|ZambaAttention|114|2024-12|1.41/sqrt(d)|1.41/sqrt(d)||
udop|UdopAttention|383|2024-07|1|8/sqrt(d)||bias
pop2piano|Pop2PianoAttention|176|2023-12|1|8/sqrt(d)||bias
umt5|UMT5Attention|188|2023-12|1|8/sqrt(d)||bias
pix2struct|Pix2StructVisionAttention|114|2023-06|1|8/sqrt(d)||
pix2struct|Pix2StructTextAttention|575|2023-06|1|8/sqrt(d)||bias
swin2sr|Swin2SRSelfAttention|198|2023-06|learned|learned|L2|bias
esm|EsmFoldInvariantPointAttention|1372|2022-12|other|||bias
swinv2|Swinv2SelfAttention|359|2022-12|learned|learned|L2|bias
switch_transformers|SwitchTransformersAttention|264|2022-12|1|8/sqrt(d)||bias
longt5|LongT5Attention|336|2022-06|1|8/sqrt(d)||bias
longt5|LongT5LocalAttention|532|2022-06|1|8/sqrt(d)||bias
longt5|LongT5TransientGlobalAttention|704|2022-06|1|8/sqrt(d)||bias
sew_d|DisentangledSelfAttention|627|2021-12|1/sqrt(d(1+t))|0.577/sqrt(d)||bias
gpt_neo|GPTNeoSelfAttention|52|2021-06|1|11.3/sqrt(d)||
gpt_neo|GPTNeoFlashAttention2|162|2021-06|1|11.3/sqrt(d)||
mt5|MT5Attention|182|2020-12|1|8/sqrt(d)||bias
t5|T5Attention|176|2019-12|1|8/sqrt(d)||bias
bailing_hybrid|BailingHybridAttention|292|2026-11|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
beam|BeamAttention|202|2026-11|by layer|1/sqrt(d), per position|RMS|RoPE's factor
dots3_note|Dots3NoteVisionAttention|1345|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
esmc|EsmcAttention|180|2026-11|1/sqrt(d)|1/sqrt(d)|LayerNorm|RoPE's factor
esmfold2|EsmFold2AtomAttention|278|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|
flint|FlintAttention|235|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|sink, RoPE's factor
glm5_next|Glm5NextVisionAttention|1608|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
hy_v4|HYV4Attention|319|2026-11|1/sqrt(d) x YaRN|1/sqrt(d)||sink, RoPE's factor
inkling2|Inkling2SlidingAttention|402|2026-11|1/sqrt(d)|1/sqrt(d)|clip|sink, bias
kolibri1|Kolibri1Attention|136|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
lfm3|Lfm3Attention|209|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
lfm3_vl|Lfm3VlVisionAttention|194|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
molmo2|Molmo2Attention|243|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
nemotron3_5_transcribe|Nemotron3_5TranscribeAttention|268|2026-11|1/sqrt(d)|1/sqrt(d)|LayerNorm|RoPE's factor
neomme|NeoMMEAttention|277|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
qwen4_exp|Qwen4ExpTextAttention|812|2026-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
step3p7|Step3p7Attention|668|2026-11|config|1/sqrt(d)|RMS|RoPE's factor
axk1|AXK1Attention|366|2026-08|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
axk2|AXK2Attention|502|2026-08|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
deepseek_v32|DeepseekV32Attention|335|2026-08|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
hunyuan_vl|HunYuanVLDenseV1Attention|488|2026-08|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
mellum|MellumAttention|201|2026-08|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
mimo_v2_flash|MiMoV2FlashAttention|334|2026-08|1/sqrt(d)|1/sqrt(d)||sink, RoPE's factor
minicpm3|MiniCPM3Attention|227|2026-08|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
minimax_m3_vl|MiniMaxM3VLAttention|396|2026-08|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
muse_glimmer_assistant|MuseGlimmerAssistantAttention|135|2026-08|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
sapiens2|Sapiens2Attention|437|2026-08|1/sqrt(d)|1/sqrt(d)|RMS|
videoprism|VideoPrismAttention|358|2026-08|1/sqrt(d)|1/sqrt(d)||soft cap
deepseek_v4|DeepseekV4Attention|766|2026-06|1/sqrt(d)|1/sqrt(d)|RMS|sink, RoPE's factor
exaone4_5|Exaone4_5_Attention|389|2026-06|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
hy_v3|HYV3Attention|199|2026-06|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
hyperclovax|HyperCLOVAXAttention|181|2026-06|config|1/sqrt(d)||RoPE's factor
laguna|LagunaAttention|324|2026-06|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
openai_privacy_filter|OpenAIPrivacyFilterAttention|174|2026-06|1/sqrt(d)|1/sqrt(d)||sink, RoPE's factor
qianfan_ocr|QianfanOCRVisionAttention|115|2026-06|1/sqrt(d)|1/sqrt(d)|RMS (off)|
exaone_moe|ExaoneMoeAttention|136|2026-04|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
glm_moe_dsa|GlmMoeDsaAttention|297|2026-04|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
glm_ocr|GlmOcrVisionAttention|341|2026-04|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
olmo_hybrid|OlmoHybridAttention|161|2026-04|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
qwen3_5|Qwen3_5Attention|742|2026-04|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
qwen3_5_moe|Qwen3_5MoeAttention|738|2026-04|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
youtu|YoutuAttention|259|2026-04|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
afmoe|AfmoeAttention|299|2026-01|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
glm4_moe_lite|Glm4MoeLiteAttention|222|2026-01|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
lfm2_moe|Lfm2MoeAttention|287|2026-01|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
minimax_m2|MiniMaxM2Attention|276|2026-01|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
nanochat|NanoChatAttention|177|2026-01|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
pe_audio|PeAudioEncoderAttention|363|2026-01|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
pe_audio_video|PeAudioVideoEncoderAttention|300|2026-01|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
pe_video|PeVideoEncoderAttention|287|2026-01|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
t5gemma2|T5Gemma2SelfAttention|235|2026-01|config|1/sqrt(d)|RMS|RoPE's factor
t5gemma2|T5Gemma2MergedAttention|314|2026-01|config|1/sqrt(d)|RMS|RoPE's factor
apertus|ApertusAttention|197|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
deepseek_v2|DeepseekV2Attention|290|2025-11|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
doge|DogeAttention|241|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|bias, RoPE's factor
exaone4|Exaone4Attention|186|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
flex_olmo|FlexOlmoAttention|200|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
florence2|Florence2VisionChannelAttention|223|2025-11|1/sqrt(tokens)|1/sqrt(d)||
glm4_moe|Glm4MoeAttention|174|2025-11|1/sqrt(d)|1/sqrt(d)|RMS (off)|RoPE's factor
gpt_oss|GptOssAttention|259|2025-11|1/sqrt(d)|1/sqrt(d)||sink, RoPE's factor
hunyuan_v1_dense|HunYuanDenseV1Attention|153|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
hunyuan_v1_moe|HunYuanMoEV1Attention|152|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
lfm2|Lfm2Attention|202|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
olmo3|Olmo3Attention|136|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
qwen3_next|Qwen3NextAttention|229|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
qwen3_omni_moe|Qwen3OmniMoeThinkerTextAttention|1429|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
qwen3_omni_moe|Qwen3OmniMoeTalkerCodePredictorAttention|2434|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
qwen3_vl|Qwen3VLTextAttention|466|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
qwen3_vl_moe|Qwen3VLMoeTextAttention|228|2025-11|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
vaultgemma|VaultGemmaAttention|161|2025-11|config|1/sqrt(d)||soft cap, RoPE's factor
deepseek_v3|DeepseekV3Attention|349|2025-07|1/sqrt(d) x YaRN|1/sqrt(d)||RoPE's factor
dots1|Dots1Attention|183|2025-07|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
falcon_h1|FalconH1Attention|169|2025-07|1/sqrt(d) x config|1/sqrt(d)||RoPE's factor
gemma3|Gemma3Attention|297|2025-07|config|1/sqrt(d)|RMS|RoPE's factor
internvl|InternVLVisionAttention|92|2025-07|1/sqrt(d)|1/sqrt(d)|RMS (off)|
janus|JanusVisionAttention|255|2025-07|1/sqrt(d)|1/sqrt(d)|LayerNorm (off)|
llama4|Llama4TextAttention|301|2025-07|by layer|1/sqrt(d), per position|RMS|RoPE's factor
qwen3|Qwen3Attention|203|2025-07|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
qwen3_moe|Qwen3MoeAttention|121|2025-07|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
t5gemma|T5GemmaSelfAttention|226|2025-07|config|1/sqrt(d)||soft cap, RoPE's factor
t5gemma|T5GemmaCrossAttention|300|2025-07|config|1/sqrt(d)||soft cap
chameleon|ChameleonAttention|244|2024-12|1/sqrt(d)|1/sqrt(d)|LayerNorm|RoPE's factor
mllama|MllamaTextCrossAttention|393|2024-12|1/sqrt(d)|1/sqrt(d)|RMS|
olmo2|Olmo2Attention|188|2024-12|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
olmoe|OlmoeAttention|197|2024-12|1/sqrt(d)|1/sqrt(d)|RMS|RoPE's factor
cohere|CohereAttention|203|2024-07|1/sqrt(d)|1/sqrt(d)|LayerNorm (off)|RoPE's factor
gemma2|Gemma2Attention|211|2024-07|config|1/sqrt(d)||soft cap, RoPE's factor
stablelm|StableLmAttention|210|2024-07|1/sqrt(d)|1/sqrt(d)|LayerNorm (off)|RoPE's factor
idefics|IdeficsAttention|484|2023-12|1/sqrt(d)|1/sqrt(d)|RMS (off)|RoPE's factor
persimmon|PersimmonAttention|176|2023-12|1/sqrt(d)|1/sqrt(d)|LayerNorm|RoPE's factor
phi|PhiAttention|152|2023-12|1/sqrt(d)|1/sqrt(d)|LayerNorm (off)|RoPE's factor
cvt|CvtSelfAttention|135|2022-06|1/sqrt(width)|0.408/sqrt(d), 0.577/sqrt(d), 1/sqrt(d)||
deberta_v2|DisentangledSelfAttention|131|2021-06|1/sqrt(d(1+t))|1/sqrt(d)||
deberta|DisentangledSelfAttention|138|2020-12|1/sqrt(d(1+t))|1/sqrt(d)||
canary|CanarySelfAttention|149|2026-11|1/sqrt(d)|1/sqrt(d)||
canary|CanaryCrossAttention|216|2026-11|1/sqrt(d)|1/sqrt(d)||
cohere_compass|CohereCompassAttention|250|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
cohere_compass|CohereCompassVisionAttention|738|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
dots3_note|Dots3NoteTextAttention|436|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
dots3_note|Dots3NoteAudioAttention|945|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
esmfold2|EsmFold2DiffusionAttention|594|2026-11|1/sqrt(d)|1/sqrt(d)||bias
fun_asr_nano|FunAsrNanoAttention|92|2026-11|1/sqrt(d)|1/sqrt(d)||
glm5_next|Glm5NextTextAttention|1101|2026-11|1/sqrt(d)|1/sqrt(d)||
gradium_phonon_tts|GradiumPhononTTSAttention|147|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
granite_docling|GraniteDoclingVisionAttention|782|2026-11|1/sqrt(d)|1/sqrt(d)||
granite_speech5|GraniteSpeech5EncoderAttention|98|2026-11|1/sqrt(d)|1/sqrt(d)||bias
gte|GteAttention|195|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
inkling2|Inkling2VisionAttention|952|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
kimi_linear|KimiLinearAttention|190|2026-11|1/sqrt(d)|1/sqrt(d)||
minicpm_ocr|MiniCPMOcrVisionAttention|148|2026-11|1/sqrt(d)|1/sqrt(d)||
minicpmv4_7|MiniCPMV4_7VisionAttention|153|2026-11|1/sqrt(d)|1/sqrt(d)||
molmo2|Molmo2VisionAttention|440|2026-11|1/sqrt(d)|1/sqrt(d)||
moss_transcribe_diarize|MossTranscribeDiarizeAudioAttention|95|2026-11|1/sqrt(d)|1/sqrt(d)||
muse_spark|MuseSparkVisionAttention|738|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
nemotron3_diarization|Nemotron3DiarizationAttention|421|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
neucodec|NeuCodecAttention|189|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
pocket_tts|PocketTTSAttention|148|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
pocket_tts_audio_tokenizer|PocketTTSAudioTokenizerAttention|458|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
pp_doclayout_v4|PPDocLayoutV4SelfAttention|517|2026-11|1/sqrt(d)|1/sqrt(d)||
qwen4_exp|Qwen4ExpVisionAttention|1801|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
step3p7|Step3p7VisionAttention|190|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
ultrabert|UltrabertAttention|197|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
unlimited_ocr|UnlimitedOcrSamVisionAttention|147|2026-11|1/sqrt(d)|1/sqrt(d)||bias
unlimited_ocr|UnlimitedOcrSamVisionSdpaAttention|338|2026-11|1/sqrt(d)|1/sqrt(d)||bias
unlimited_ocr|UnlimitedOcrAttention|672|2026-11|1/sqrt(d)|1/sqrt(d)||
unlimited_ocr|UnlimitedOcrTextAttention|1024|2026-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
cosmos3_edge|Cosmos3EdgeTextAttention|186|2026-08|1/sqrt(d)|1/sqrt(d)||RoPE's factor
cosmos3_edge|Cosmos3EdgeVisionAttention|426|2026-08|1/sqrt(d)|1/sqrt(d)||
deepseek_ocr2|DeepseekOcr2SamVisionAttention|169|2026-08|1/sqrt(d)|1/sqrt(d)||bias
deepseek_ocr2|DeepseekOcr2SamVisionSdpaAttention|316|2026-08|1/sqrt(d)|1/sqrt(d)||bias
deepseek_ocr2|DeepseekOcr2VisionAttention|784|2026-08|1/sqrt(d)|1/sqrt(d)||RoPE's factor
deepseek_ocr2|DeepseekOcr2TextAttention|1044|2026-08|1/sqrt(d)|1/sqrt(d)||RoPE's factor
hunyuan_vl|HunYuanVLVisionAttention|338|2026-08|1/sqrt(d)|1/sqrt(d)||
kimi_k25|Kimi_K25VisionAttention|307|2026-08|1/sqrt(d)|1/sqrt(d)||RoPE's factor
minimax_m3_vl|MiniMaxM3VLVisionAttention|1050|2026-08|1/sqrt(d)|1/sqrt(d)||RoPE's factor
muse_glimmer|MuseGlimmerVisionAttention|540|2026-08|1/sqrt(d)|1/sqrt(d)||RoPE's factor
nemotron_asr_streaming|NemotronAsrStreamingEncoderAttention|533|2026-08|1/sqrt(d)|1/sqrt(d)||bias
qwen3_asr|Qwen3ASRAudioAttention|106|2026-08|1/sqrt(d)|1/sqrt(d)||
radio|RadioAttention|217|2026-08|1/sqrt(d)|1/sqrt(d)||
tipsv2|Tipsv2VisionAttention|240|2026-08|1/sqrt(d)|1/sqrt(d)||
tipsv2|Tipsv2TextAttention|689|2026-08|1/sqrt(d)|1/sqrt(d)||
xcodec2|Xcodec2Attention|231|2026-08|1/sqrt(d)|1/sqrt(d)||RoPE's factor
cohere2_moe|Cohere2MoeAttention|272|2026-06|1/sqrt(d)|1/sqrt(d)||RoPE's factor
deimv2|Deimv2SelfAttention|549|2026-06|1/sqrt(d)|1/sqrt(d)||
exaone4_5|Exaone4_5_VisionAttention|230|2026-06|1/sqrt(d)|1/sqrt(d)||RoPE's factor
granite_speech_plus|GraniteSpeechPlusConformerAttention|292|2026-06|1/sqrt(d)|1/sqrt(d)||bias
hrm_text|HrmTextAttention|150|2026-06|1/sqrt(d)|1/sqrt(d)||RoPE's factor
minicpmv4_6|MiniCPMV4_6VisionAttention|148|2026-06|1/sqrt(d)|1/sqrt(d)||
pp_formulanet|PPFormulaNetVisionAttention|93|2026-06|1/sqrt(d)|1/sqrt(d)||bias
pp_formulanet|PPFormulaNetAttention|561|2026-06|1/sqrt(d)|1/sqrt(d)||
pp_ocrv6_small_rec|PPOCRV6SmallRecAttention|70|2026-06|1/sqrt(d)|1/sqrt(d)||
rf_detr|RfDetrDinov2Attention|221|2026-06|1/sqrt(d)|1/sqrt(d)||
rf_detr|RfDetrAttention|721|2026-06|1/sqrt(d)|1/sqrt(d)||
sam3_lite_text|Sam3LiteTextTextAttention|220|2026-06|1/sqrt(d)|1/sqrt(d)||
sam3_lite_text|Sam3LiteTextAttention|581|2026-06|1/sqrt(d)|1/sqrt(d)||bias
cohere_asr|CohereAsrSelfAttention|99|2026-04|1/sqrt(d)|1/sqrt(d)||
cohere_asr|CohereAsrCrossAttention|166|2026-04|1/sqrt(d)|1/sqrt(d)||
eomt_dinov3|EomtDinov3Attention|119|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
eurobert|EuroBertAttention|135|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
glm_ocr|GlmOcrTextAttention|167|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
higgs_audio_v2|HiggsAudioV2Attention|154|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
jina_embeddings_v3|JinaEmbeddingsV3Attention|198|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
moonshine_streaming|MoonshineStreamingEncoderAttention|185|2026-04|1/sqrt(d)|1/sqrt(d)||
moonshine_streaming|MoonshineStreamingAttention|564|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
nemotron_h|NemotronHAttention|869|2026-04|1/sqrt(d)|1/sqrt(d)||
nomic_bert|NomicBertAttention|197|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
pp_doclayout_v2|PPDocLayoutV2ReadingOrderSelfAttention|140|2026-04|1/sqrt(d)|1/sqrt(d)||bias
pp_doclayout_v2|PPDocLayoutV2SelfAttention|1151|2026-04|1/sqrt(d)|1/sqrt(d)||
pp_doclayout_v3|PPDocLayoutV3SelfAttention|572|2026-04|1/sqrt(d)|1/sqrt(d)||
pp_ocrv5_mobile_rec|PPOCRV5MobileRecAttention|41|2026-04|1/sqrt(d)|1/sqrt(d)||
pp_ocrv5_server_rec|PPOCRV5ServerRecAttention|101|2026-04|1/sqrt(d)|1/sqrt(d)||
qwen3_5|Qwen3_5VisionAttention|1004|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen3_5_moe|Qwen3_5MoeVisionAttention|1093|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
slanext|SLANeXtVisionAttention|43|2026-04|1/sqrt(d)|1/sqrt(d)||bias
videomt|VideomtAttention|184|2026-04|1/sqrt(d)|1/sqrt(d)||
voxtral_realtime|VoxtralRealtimeAttention|326|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
voxtral_realtime|VoxtralRealtimeTextAttention|612|2026-04|1/sqrt(d)|1/sqrt(d)||RoPE's factor
audioflamingo3|AudioFlamingo3Attention|74|2026-01|1/sqrt(d)|1/sqrt(d)||
cwm|CwmAttention|162|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
ernie4_5_vl_moe|Ernie4_5_VLMoeTextAttention|202|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
ernie4_5_vl_moe|Ernie4_5_VLMoeVisionAttention|551|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
glm_image|GlmImageVisionAttention|164|2026-01|1/sqrt(d)|1/sqrt(d)||
glm_image|GlmImageTextAttention|413|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
glmasr|GlmAsrAttention|160|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
jais2|Jais2Attention|128|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
lasr|LasrEncoderAttention|189|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
lw_detr|LwDetrViTAttention|82|2026-01|1/sqrt(d)|1/sqrt(d)||
lw_detr|LwDetrAttention|621|2026-01|1/sqrt(d)|1/sqrt(d)||
paddleocr_vl|PaddleOCRAttention|312|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
paddleocr_vl|PaddleOCRVisionAttention|640|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
pixio|PixioAttention|169|2026-01|1/sqrt(d)|1/sqrt(d)||
sam3|Sam3Attention|322|2026-01|1/sqrt(d)|1/sqrt(d)||bias
sam3|Sam3ViTRoPEAttention|512|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
sam3_tracker|Sam3TrackerAttention|314|2026-01|1/sqrt(d)|1/sqrt(d)||
sam3_tracker_video|Sam3TrackerVideoAttention|474|2026-01|1/sqrt(d)|1/sqrt(d)||
sam3_tracker_video|Sam3TrackerVideoRoPEAttention|876|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
solar_open|SolarOpenAttention|277|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
video_llama_3|VideoLlama3VisionAttention|203|2026-01|1/sqrt(d)|1/sqrt(d)||RoPE's factor
aimv2|Aimv2Attention|267|2025-11|1/sqrt(d)|1/sqrt(d)||
aimv2|Aimv2AttentionPoolingHead|384|2025-11|1/sqrt(d)|1/sqrt(d)||
blt|BltSelfAttention|274|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
blt|BltCrossAttention|339|2025-11|1/sqrt(d)|1/sqrt(d)||
dinov3_vit|DINOv3ViTAttention|278|2025-11|1/sqrt(d)|1/sqrt(d)||
edgetam|EdgeTamAttention|119|2025-11|1/sqrt(d)|1/sqrt(d)||
edgetam_video|EdgeTamVideoAttention|221|2025-11|1/sqrt(d)|1/sqrt(d)||
edgetam_video|EdgeTamVideoRoPESelfAttention|339|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
edgetam_video|EdgeTamVideoRoPECrossAttention|475|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
edgetam_video|EdgeTamVideoPerceiverAttention|1350|2025-11|1/sqrt(d)|1/sqrt(d)||
efficientloftr|EfficientLoFTRAttention|349|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
eomt|EomtAttention|737|2025-11|1/sqrt(d)|1/sqrt(d)||
ernie4_5|Ernie4_5Attention|185|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
ernie4_5_moe|Ernie4_5_MoeAttention|208|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
evolla|EvollaSaProtSelfAttention|279|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
evolla|EvollaSequenceCompressorAttention|615|2025-11|1/sqrt(d)|1/sqrt(d)||
evolla|EvollaAttention|1097|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
florence2|Florence2VisionWindowAttention|324|2025-11|1/sqrt(d)|1/sqrt(d)||
glm4v_moe|Glm4vMoeTextAttention|200|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
glm4v_moe|Glm4vMoeVisionAttention|709|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
kosmos2_5|Kosmos2_5VisionAttention|479|2025-11|1/sqrt(d)|1/sqrt(d)||
kosmos2_5|Kosmos2_5TextAttention|752|2025-11|1/sqrt(d)|1/sqrt(d)||
metaclip_2|MetaClip2Attention|184|2025-11|1/sqrt(d)|1/sqrt(d)||
ministral|MinistralAttention|136|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
mm_grounding_dino|MMGroundingDinoBiMultiHeadAttention|251|2025-11|1/sqrt(d)|1/sqrt(d)||
mm_grounding_dino|MMGroundingDinoMultiheadAttention|717|2025-11|1/sqrt(d)|1/sqrt(d)||
modernbert_decoder|ModernBertDecoderAttention|215|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
ovis2|Ovis2VisionAttention|199|2025-11|1/sqrt(d)|1/sqrt(d)||
parakeet|ParakeetEncoderAttention|255|2025-11|1/sqrt(d)|1/sqrt(d)||bias
qwen3_omni_moe|Qwen3OmniMoeAudioAttention|508|2025-11|1/sqrt(d)|1/sqrt(d)||
qwen3_omni_moe|Qwen3OmniMoeVisionAttention|880|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen3_omni_moe|Qwen3OmniMoeCode2WavAttention|3514|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen3_vl|Qwen3VLVisionAttention|240|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen3_vl_moe|Qwen3VLMoeVisionAttention|474|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
sam2|Sam2MultiScaleAttention|301|2025-11|1/sqrt(d)|1/sqrt(d)||
sam2|Sam2Attention|874|2025-11|1/sqrt(d)|1/sqrt(d)||
sam2_video|Sam2VideoAttention|474|2025-11|1/sqrt(d)|1/sqrt(d)||
sam2_video|Sam2VideoRoPEAttention|874|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
seed_oss|SeedOssAttention|156|2025-11|1/sqrt(d)|1/sqrt(d)||RoPE's factor
voxtral|VoxtralAttention|72|2025-11|1/sqrt(d)|1/sqrt(d)||
arcee|ArceeAttention|202|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
aria|AriaCrossAttention|98|2025-07|1/sqrt(d)|1/sqrt(d)||
aria|AriaTextAttention|405|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
bamba|BambaAttention|182|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
bitnet|BitNetAttention|151|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
cohere2|Cohere2Attention|178|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
csm|CsmAttention|253|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
d_fine|DFineSelfAttention|477|2025-07|1/sqrt(d)|1/sqrt(d)||
dab_detr|DetrAttention|344|2025-07|1/sqrt(d)|1/sqrt(d)||
dab_detr|DabDetrAttention|422|2025-07|1/sqrt(d)|1/sqrt(d)||
dab_detr|DabDetrMHAttentionMap|1382|2025-07|1/sqrt(d)|1/sqrt(d)||
diffllama|DiffLlamaAttention|189|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
dinov2_with_registers|Dinov2WithRegistersAttention|194|2025-07|1/sqrt(d)|1/sqrt(d)||
emu3|Emu3Attention|130|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
emu3|Emu3VQVAEAttentionBlock|553|2025-07|1/sqrt(d)|1/sqrt(d)||
glm4|Glm4Attention|196|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
glm4v|Glm4vVisionAttention|315|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
glm4v|Glm4vTextAttention|532|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
got_ocr2|GotOcr2VisionAttention|74|2025-07|1/sqrt(d)|1/sqrt(d)||bias
granite_speech|GraniteSpeechConformerAttention|145|2025-07|1/sqrt(d)|1/sqrt(d)||bias
helium|HeliumAttention|201|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
janus|JanusVQVAEAttnBlock|600|2025-07|1/sqrt(d)|1/sqrt(d)||
kyutai_speech_to_text|KyutaiSpeechToTextAttention|265|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
lightglue|LightGlueAttention|173|2025-07|1/sqrt(d)|1/sqrt(d)||
llama4|Llama4VisionAttention|761|2025-07|1/sqrt(d)|1/sqrt(d)||
minimax|MiniMaxAttention|392|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
mlcd|MLCDAttention|245|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
modernbert|ModernBertAttention|212|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
moonshine|MoonshineAttention|232|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
phi4_multimodal|Phi4MultimodalVisionAttention|89|2025-07|1/sqrt(d)|1/sqrt(d)||
phi4_multimodal|Phi4MultimodalVisionMultiheadAttentionPoolingHead|361|2025-07|1/sqrt(d)|1/sqrt(d)||
phi4_multimodal|Phi4MultimodalAudioAttention|612|2025-07|1/sqrt(d)|1/sqrt(d)||
phi4_multimodal|Phi4MultimodalAttention|1218|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen2_5_omni|Qwen2_5OmniAudioAttention|547|2025-07|1/sqrt(d)|1/sqrt(d)||
qwen2_5_omni|Qwen2_5OmniVisionAttention|998|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen2_5_omni|Qwen2_5OmniAttention|1384|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen2_5_omni|DiTAttention|2948|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen2_5_vl|Qwen2_5_VLVisionAttention|254|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen2_5_vl|Qwen2_5_VLAttention|590|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
rt_detr_v2|RTDetrV2SelfAttention|274|2025-07|1/sqrt(d)|1/sqrt(d)||
sam_hq|SamHQVisionAttention|125|2025-07|1/sqrt(d)|1/sqrt(d)||bias
sam_hq|SamHQVisionSdpaAttention|272|2025-07|1/sqrt(d)|1/sqrt(d)||bias
sam_hq|SamHQAttention|633|2025-07|1/sqrt(d)|1/sqrt(d)||
siglip2|Siglip2Attention|279|2025-07|1/sqrt(d)|1/sqrt(d)||
siglip2|Siglip2MultiheadAttentionPoolingHead|664|2025-07|1/sqrt(d)|1/sqrt(d)||
smollm3|SmolLM3Attention|166|2025-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
smolvlm|SmolVLMVisionAttention|158|2025-07|1/sqrt(d)|1/sqrt(d)||
superglue|SuperGlueSelfAttention|236|2025-07|1/sqrt(d)|1/sqrt(d)||
vitpose_backbone|VitPoseBackboneSelfAttention|129|2025-07|1/sqrt(d)|1/sqrt(d)||
vjepa2|VJEPA2RopeAttention|207|2025-07|1/sqrt(d)|1/sqrt(d)||
vjepa2|VJEPA2PoolerSelfAttention|632|2025-07|1/sqrt(d)|1/sqrt(d)||
vjepa2|VJEPA2PoolerCrossAttention|688|2025-07|1/sqrt(d)|1/sqrt(d)||
chameleon|ChameleonVQVAEEncoderAttnBlock|579|2024-12|1/sqrt(d)|1/sqrt(d)||
glm|GlmAttention|198|2024-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
hiera|HieraMaskUnitAttention|313|2024-12|1/sqrt(d)|1/sqrt(d)||
idefics3|Idefics3VisionAttention|196|2024-12|1/sqrt(d)|1/sqrt(d)||
ijepa|IJepaAttention|169|2024-12|1/sqrt(d)|1/sqrt(d)||
mimi|MimiAttention|685|2024-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
mllama|MllamaVisionAttention|228|2024-12|1/sqrt(d)|1/sqrt(d)||
mllama|MllamaTextSelfAttention|509|2024-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
moshi|MoshiAttention|411|2024-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
nemotron|NemotronAttention|225|2024-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
omdet_turbo|OmDetTurboMultiheadAttention|478|2024-12|1/sqrt(d)|1/sqrt(d)||
phimoe|PhimoeAttention|170|2024-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
pixtral|PixtralAttention|158|2024-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen2_audio|Qwen2AudioAttention|125|2024-12|1/sqrt(d)|1/sqrt(d)||
qwen2_vl|VisionAttention|344|2024-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen2_vl|Qwen2VLAttention|472|2024-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
zoedepth|ZoeDepthMultiheadAttention|775|2024-12|1/sqrt(d)|1/sqrt(d)||
dbrx|DbrxAttention|161|2024-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
fastspeech2_conformer|FastSpeech2ConformerAttention|354|2024-07|1/sqrt(d)|1/sqrt(d)||bias
gemma|GemmaAttention|217|2024-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
grounding_dino|GroundingDinoBiMultiHeadAttention|713|2024-07|1/sqrt(d)|1/sqrt(d)||
grounding_dino|GroundingDinoMultiheadAttention|1112|2024-07|1/sqrt(d)|1/sqrt(d)||
idefics2|Idefics2VisionAttention|200|2024-07|1/sqrt(d)|1/sqrt(d)||
idefics2|Idefics2MultiheadAttentionPoolingHead|297|2024-07|1/sqrt(d)|1/sqrt(d)||
idefics2|Idefics2PerceiverAttention|530|2024-07|1/sqrt(d)|1/sqrt(d)||
instructblipvideo|InstructBlipVideoAttention|241|2024-07|1/sqrt(d)|1/sqrt(d)||
instructblipvideo|InstructBlipVideoQFormerMultiHeadAttention|448|2024-07|1/sqrt(d)|1/sqrt(d)||
jamba|JambaAttention|154|2024-07|1/sqrt(d)|1/sqrt(d)||
jetmoe|JetMoeAttention|413|2024-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
musicgen_melody|MusicgenMelodyAttention|187|2024-07|1/sqrt(d)|1/sqrt(d)||
olmo|OlmoAttention|196|2024-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
phi3|Phi3Attention|189|2024-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
pvt_v2|PvtV2SelfAttention|85|2024-07|1/sqrt(d)|1/sqrt(d)||
qwen2|Qwen2Attention|168|2024-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
qwen2_moe|Qwen2MoeAttention|209|2024-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
recurrent_gemma|RecurrentGemmaAttention|197|2024-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
rt_detr|RTDetrSelfAttention|308|2024-07|1/sqrt(d)|1/sqrt(d)||
seggpt|SegGptAttention|209|2024-07|1/sqrt(d)|1/sqrt(d)||bias
siglip|SiglipAttention|250|2024-07|1/sqrt(d)|1/sqrt(d)||
siglip|SiglipMultiheadAttentionPoolingHead|622|2024-07|1/sqrt(d)|1/sqrt(d)||
starcoder2|Starcoder2Attention|140|2024-07|1/sqrt(d)|1/sqrt(d)||RoPE's factor
wav2vec2_bert|Wav2Vec2BertSelfAttention|322|2024-07|1/sqrt(d)|1/sqrt(d)||bias
bark|BarkSelfAttention|66|2023-12|1/sqrt(d)|1/sqrt(d)||
bark|BarkSelfFlashAttention2|177|2023-12|1/sqrt(d)|1/sqrt(d)||
bros|BrosSelfAttention|183|2023-12|1/sqrt(d)|1/sqrt(d)||bias
clvp|ClvpSelfAttention|271|2023-12|1/sqrt(d)|1/sqrt(d)||
dinov2|Dinov2Attention|179|2023-12|1/sqrt(d)|1/sqrt(d)||
falcon|FalconAttention|200|2023-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
falcon|FalconFlashAttention2|414|2023-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
instructblip|InstructBlipAttention|200|2023-12|1/sqrt(d)|1/sqrt(d)||
instructblip|InstructBlipQFormerMultiHeadAttention|446|2023-12|1/sqrt(d)|1/sqrt(d)||
kosmos2|Kosmos2VisionAttention|345|2023-12|1/sqrt(d)|1/sqrt(d)||
kosmos2|KosmosTextAttention|668|2023-12|1/sqrt(d)|1/sqrt(d)||
mistral|MistralAttention|121|2023-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
mixtral|MixtralAttention|271|2023-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
mpt|MptAttention|65|2023-12|1/sqrt(d)|1/sqrt(d)||bias
musicgen|MusicgenAttention|179|2023-12|1/sqrt(d)|1/sqrt(d)||
owlv2|Owlv2Attention|344|2023-12|1/sqrt(d)|1/sqrt(d)||
patchtsmixer|PatchTSMixerAttention|270|2023-12|1/sqrt(d)|1/sqrt(d)||
patchtst|PatchTSTAttention|68|2023-12|1/sqrt(d)|1/sqrt(d)||
pvt|PvtEfficientSelfAttention|117|2023-12|1/sqrt(d)|1/sqrt(d)||
seamless_m4t|SeamlessM4TConformerSelfAttention|516|2023-12|1/sqrt(d)|1/sqrt(d)||bias
seamless_m4t|SeamlessM4TAttention|994|2023-12|1/sqrt(d)|1/sqrt(d)||
seamless_m4t_v2|SeamlessM4Tv2ConformerSelfAttention|395|2023-12|1/sqrt(d)|1/sqrt(d)||bias
seamless_m4t_v2|SeamlessM4Tv2Attention|878|2023-12|1/sqrt(d)|1/sqrt(d)||
tvp|TvpAttention|325|2023-12|1/sqrt(d)|1/sqrt(d)||
vitdet|VitDetAttention|202|2023-12|1/sqrt(d)|1/sqrt(d)||
vits|VitsAttention|841|2023-12|1/sqrt(d)|1/sqrt(d)||bias
vivit|VivitAttention|177|2023-12|1/sqrt(d)|1/sqrt(d)||
align|AlignTextSelfAttention|584|2023-06|1/sqrt(d)|1/sqrt(d)||
altclip|AltRobertaSelfAttention|199|2023-06|1/sqrt(d)|1/sqrt(d)||
altclip|AltCLIPAttention|401|2023-06|1/sqrt(d)|1/sqrt(d)||
biogpt|BioGptAttention|120|2023-06|1/sqrt(d)|1/sqrt(d)||
blip|BlipTextSelfAttention|93|2023-06|1/sqrt(d)|1/sqrt(d)||
blip|BlipAttention|285|2023-06|1/sqrt(d)|1/sqrt(d)||
blip_2|Blip2Attention|281|2023-06|1/sqrt(d)|1/sqrt(d)||
blip_2|Blip2QFormerMultiHeadAttention|535|2023-06|1/sqrt(d)|1/sqrt(d)||
bridgetower|BridgeTowerResidualAttention|106|2023-06|1/sqrt(d)|1/sqrt(d)||
bridgetower|BridgeTowerSelfAttention|435|2023-06|1/sqrt(d)|1/sqrt(d)||
bridgetower|BridgeTowerCrossAttention|503|2023-06|1/sqrt(d)|1/sqrt(d)||
clap|ClapAudioSelfAttention|323|2023-06|1/sqrt(d)|1/sqrt(d)||bias
clap|ClapTextSelfAttention|1050|2023-06|1/sqrt(d)|1/sqrt(d)||
cpmant|CpmAntAttention|61|2023-06|1/sqrt(d)|1/sqrt(d)||bias
git|GitSelfAttention|116|2023-06|1/sqrt(d)|1/sqrt(d)||
git|GitVisionAttention|465|2023-06|1/sqrt(d)|1/sqrt(d)||
gpt_bigcode|GPTBigCodeAttention|115|2023-06|1/sqrt(d)|1/sqrt(d)||
informer|InformerAttention|289|2023-06|1/sqrt(d)|1/sqrt(d)||
informer|InformerProbSparseAttention|406|2023-06|1/sqrt(d)|1/sqrt(d)||
llama|LlamaAttention|206|2023-06|1/sqrt(d)|1/sqrt(d)||RoPE's factor
mask2former|Mask2FormerAttention|1457|2023-06|1/sqrt(d)|1/sqrt(d)||
mask2former|Mask2FormerMaskedAttentionDecoderLayer|1593|2023-06|1/sqrt(d)|1/sqrt(d)||
mgp_str|MgpstrAttention|125|2023-06|1/sqrt(d)|1/sqrt(d)||
nllb_moe|NllbMoeAttention|418|2023-06|1/sqrt(d)|1/sqrt(d)||
oneformer|OneFormerAttention|1485|2023-06|1/sqrt(d)|1/sqrt(d)||
oneformer|OneFormerTransformerDecoderCrossAttentionLayer|1679|2023-06|1/sqrt(d)|1/sqrt(d)||
oneformer|OneFormerTransformerDecoderQueryTransformerDecoderLayer|1959|2023-06|1/sqrt(d)|1/sqrt(d)||
oneformer|OneFormerTextMapperAttention|2459|2023-06|1/sqrt(d)|1/sqrt(d)||
oneformer|OneFormerTextTransformerLayer|2589|2023-06|1/sqrt(d)|1/sqrt(d)||
roberta_prelayernorm|RobertaPreLayerNormSelfAttention|184|2023-06|1/sqrt(d)|1/sqrt(d)||
roberta_prelayernorm|RobertaPreLayerNormCrossAttention|252|2023-06|1/sqrt(d)|1/sqrt(d)||
sam|SamAttention|195|2023-06|1/sqrt(d)|1/sqrt(d)||
sam|SamVisionAttention|701|2023-06|1/sqrt(d)|1/sqrt(d)||bias
sam|SamVisionSdpaAttention|834|2023-06|1/sqrt(d)|1/sqrt(d)||bias
speecht5|SpeechT5Attention|837|2023-06|1/sqrt(d)|1/sqrt(d)||bias
timesformer|TimesformerSelfAttention|148|2023-06|1/sqrt(d)|1/sqrt(d)||
xmod|XmodSelfAttention|183|2023-06|1/sqrt(d)|1/sqrt(d)||
xmod|XmodCrossAttention|251|2023-06|1/sqrt(d)|1/sqrt(d)||
audio_spectrogram_transformer|ASTAttention|130|2022-12|1/sqrt(d)|1/sqrt(d)||
chinese_clip|ChineseCLIPTextSelfAttention|237|2022-12|1/sqrt(d)|1/sqrt(d)||
chinese_clip|ChineseCLIPVisionAttention|328|2022-12|1/sqrt(d)|1/sqrt(d)||
clipseg|CLIPSegAttention|268|2022-12|1/sqrt(d)|1/sqrt(d)||
codegen|CodeGenAttention|61|2022-12|1/sqrt(d)|1/sqrt(d)||
conditional_detr|ConditionalDetrSelfAttention|429|2022-12|1/sqrt(d)|1/sqrt(d)||
conditional_detr|ConditionalDetrDecoderSelfAttention|495|2022-12|1/sqrt(d)|1/sqrt(d)||
conditional_detr|ConditionalDetrDecoderCrossAttention|578|2022-12|1/sqrt(d)|1/sqrt(d)||
conditional_detr|ConditionalDetrMHAttentionMap|997|2022-12|1/sqrt(d)|1/sqrt(d)||
deformable_detr|DeformableDetrSelfAttention|477|2022-12|1/sqrt(d)|1/sqrt(d)||
dinat|NeighborhoodAttention|203|2022-12|1/sqrt(d)|1/sqrt(d)||bias
donut|DonutSwinSelfAttention|316|2022-12|1/sqrt(d)|1/sqrt(d)||bias
ernie|ErnieSelfAttention|158|2022-12|1/sqrt(d)|1/sqrt(d)||
ernie|ErnieCrossAttention|225|2022-12|1/sqrt(d)|1/sqrt(d)||
esm|EsmFoldAttention|288|2022-12|1/sqrt(d)|1/sqrt(d)||bias
esm|EsmSelfAttention|313|2022-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
esm|EsmFoldSelfAttention|942|2022-12|1/sqrt(d)|1/sqrt(d)||bias
gpt_neox_japanese|GPTNeoXJapaneseAttention|136|2022-12|1/sqrt(d)|1/sqrt(d)||RoPE's factor
groupvit|GroupViTAssignAttention|160|2022-12|1/sqrt(d)|1/sqrt(d)||
groupvit|GroupViTAttention|583|2022-12|1/sqrt(d)|1/sqrt(d)||
lilt|LiltSelfAttention|182|2022-12|1/sqrt(d)|1/sqrt(d)||bias
markuplm|MarkupLMSelfAttention|340|2022-12|1/sqrt(d)|1/sqrt(d)||
mobilevit|MobileViTSelfAttention|189|2022-12|1/sqrt(d)|1/sqrt(d)||
mvp|MvpAttention|90|2022-12|1/sqrt(d)|1/sqrt(d)||
owlvit|OwlViTAttention|405|2022-12|1/sqrt(d)|1/sqrt(d)||
pegasus_x|PegasusXAttention|154|2022-12|1/sqrt(d)|1/sqrt(d)||
pegasus_x|PegasusXGlobalLocalAttention|271|2022-12|1/sqrt(d)|1/sqrt(d)||
roc_bert|RoCBertSelfAttention|203|2022-12|1/sqrt(d)|1/sqrt(d)||
roc_bert|RoCBertCrossAttention|271|2022-12|1/sqrt(d)|1/sqrt(d)||
table_transformer|TableTransformerAttention|339|2022-12|1/sqrt(d)|1/sqrt(d)||
time_series_transformer|TimeSeriesTransformerAttention|303|2022-12|1/sqrt(d)|1/sqrt(d)||
videomae|VideoMAESelfAttention|209|2022-12|1/sqrt(d)|1/sqrt(d)||
vit_msn|ViTMSNAttention|189|2022-12|1/sqrt(d)|1/sqrt(d)||
whisper|WhisperAttention|242|2022-12|1/sqrt(d)|1/sqrt(d)||
x_clip|XCLIPAttention|228|2022-12|1/sqrt(d)|1/sqrt(d)||
x_clip|XCLIPCrossAttention|801|2022-12|1/sqrt(d)|1/sqrt(d)||
bloom|BloomAttention|166|2022-06|1/sqrt(d)|1/sqrt(d)||bias
data2vec|Data2VecTextSelfAttention|185|2022-06|1/sqrt(d)|1/sqrt(d)||
data2vec|Data2VecVisionSelfAttention|195|2022-06|1/sqrt(d)|1/sqrt(d)||
data2vec|Data2VecAudioAttention|207|2022-06|1/sqrt(d)|1/sqrt(d)||
data2vec|Data2VecTextCrossAttention|252|2022-06|1/sqrt(d)|1/sqrt(d)||
data2vec|Data2VecVisionSdpaSelfAttention|269|2022-06|1/sqrt(d)|1/sqrt(d)||
decision_transformer|DecisionTransformerGPT2Attention|69|2022-06|1/sqrt(d)|1/sqrt(d)||
dpt|DPTSelfAttention|301|2022-06|1/sqrt(d)|1/sqrt(d)||
flava|FlavaSelfAttention|420|2022-06|1/sqrt(d)|1/sqrt(d)||
glpn|GLPNEfficientSelfAttention|58|2022-06|1/sqrt(d)|1/sqrt(d)||
gpt_neox|GPTNeoXAttention|169|2022-06|1/sqrt(d)|1/sqrt(d)||RoPE's factor
layoutlmv3|LayoutLMv3SelfAttention|202|2022-06|1/sqrt(d)|1/sqrt(d)||bias
levit|LevitAttention|151|2022-06|1/sqrt(d)|1/sqrt(d)||bias
levit|LevitAttentionSubsample|213|2022-06|1/sqrt(d)|1/sqrt(d)||bias
maskformer|MaskFormerSwinSelfAttention|267|2022-06|1/sqrt(d)|1/sqrt(d)||bias
maskformer|MaskFormerDetrMHAttentionMap|365|2022-06|1/sqrt(d)|1/sqrt(d)||
maskformer|MaskFormerDetrSelfAttention|501|2022-06|1/sqrt(d)|1/sqrt(d)||
maskformer|MaskFormerDetrCrossAttention|567|2022-06|1/sqrt(d)|1/sqrt(d)||
nystromformer|NystromformerSelfAttention|101|2022-06|1/sqrt(d)|1/sqrt(d)||
opt|OPTAttention|97|2022-06|1/sqrt(d)|1/sqrt(d)||
plbart|PLBartAttention|145|2022-06|1/sqrt(d)|1/sqrt(d)||
swin|SwinAttention|401|2022-06|1/sqrt(d)|1/sqrt(d)||bias
vilt|ViltSelfAttention|303|2022-06|1/sqrt(d)|1/sqrt(d)||
vit_mae|ViTMAEAttention|360|2022-06|1/sqrt(d)|1/sqrt(d)||
wav2vec2_conformer|Wav2Vec2ConformerSelfAttention|497|2022-06|1/sqrt(d)|1/sqrt(d)||bias
xglm|XGLMAttention|108|2022-06|1/sqrt(d)|1/sqrt(d)||
xlm_roberta_xl|XLMRobertaXLSelfAttention|188|2022-06|1/sqrt(d)|1/sqrt(d)||
xlm_roberta_xl|XLMRobertaXLCrossAttention|255|2022-06|1/sqrt(d)|1/sqrt(d)||
yolos|YolosSelfAttention|250|2022-06|1/sqrt(d)|1/sqrt(d)||
beit|BeitAttention|296|2021-12|1/sqrt(d)|1/sqrt(d)||
canine|CanineSelfAttention|281|2021-12|1/sqrt(d)|1/sqrt(d)||
gptj|GPTJAttention|71|2021-12|1/sqrt(d)|1/sqrt(d)||
gptj|GPTJFlashAttention2|229|2021-12|1/sqrt(d)|1/sqrt(d)||
imagegpt|ImageGPTAttention|61|2021-12|1/sqrt(d)|1/sqrt(d)||
layoutlmv2|LayoutLMv2SelfAttention|98|2021-12|1/sqrt(d)|1/sqrt(d)||bias
perceiver|PerceiverSelfAttention|136|2021-12|1/sqrt(d)|1/sqrt(d)||
rembert|RemBertSelfAttention|113|2021-12|1/sqrt(d)|1/sqrt(d)||
segformer|SegformerAttention|139|2021-12|1/sqrt(d)|1/sqrt(d)||
sew|SEWAttention|263|2021-12|1/sqrt(d)|1/sqrt(d)||
splinter|SplinterSelfAttention|112|2021-12|1/sqrt(d)|1/sqrt(d)||
trocr|TrOCRAttention|138|2021-12|1/sqrt(d)|1/sqrt(d)||
unispeech|UniSpeechAttention|297|2021-12|1/sqrt(d)|1/sqrt(d)||
unispeech_sat|UniSpeechSatAttention|304|2021-12|1/sqrt(d)|1/sqrt(d)||
wavlm|WavLMAttention|113|2021-12|1/sqrt(d)|1/sqrt(d)||bias
big_bird|BigBirdSelfAttention|132|2021-06|1/sqrt(d)|1/sqrt(d)||
big_bird|BigBirdBlockSparseAttention|210|2021-06|1/sqrt(d)|1/sqrt(d)||
bigbird_pegasus|BigBirdPegasusSelfAttention|112|2021-06|1/sqrt(d)|1/sqrt(d)||
bigbird_pegasus|BigBirdPegasusBlockSparseAttention|191|2021-06|1/sqrt(d)|1/sqrt(d)||
bigbird_pegasus|BigBirdPegasusDecoderAttention|1134|2021-06|1/sqrt(d)|1/sqrt(d)||
blenderbot_small|BlenderbotSmallAttention|116|2021-06|1/sqrt(d)|1/sqrt(d)||
clip|CLIPAttention|280|2021-06|1/sqrt(d)|1/sqrt(d)||
convbert|ConvBertSelfAttention|132|2021-06|1/sqrt(d)|1/sqrt(d)||
deit|DeiTAttention|197|2021-06|1/sqrt(d)|1/sqrt(d)||
detr|DetrSelfAttention|430|2021-06|1/sqrt(d)|1/sqrt(d)||
detr|DetrCrossAttention|496|2021-06|1/sqrt(d)|1/sqrt(d)||
detr|DetrMHAttentionMap|844|2021-06|1/sqrt(d)|1/sqrt(d)||
hubert|HubertAttention|265|2021-06|1/sqrt(d)|1/sqrt(d)||
ibert|IBertSelfAttention|162|2021-06|1/sqrt(d)|1/sqrt(d)||
led|LEDEncoderSelfAttention|90|2021-06|1/sqrt(d)|1/sqrt(d)||
led|LEDDecoderAttention|716|2021-06|1/sqrt(d)|1/sqrt(d)||
luke|LukeSelfAttention|404|2021-06|1/sqrt(d)|1/sqrt(d)||
m2m_100|M2M100Attention|215|2021-06|1/sqrt(d)|1/sqrt(d)||
megatron_bert|MegatronBertSelfAttention|102|2021-06|1/sqrt(d)|1/sqrt(d)||
roformer|RoFormerSelfAttention|115|2021-06|1/sqrt(d)|1/sqrt(d)||
speech_to_text|Speech2TextAttention|202|2021-06|1/sqrt(d)|1/sqrt(d)||
visual_bert|VisualBertSelfAttention|171|2021-06|1/sqrt(d)|1/sqrt(d)||
vit|ViTAttention|192|2021-06|1/sqrt(d)|1/sqrt(d)||
wav2vec2|Wav2Vec2Attention|470|2021-06|1/sqrt(d)|1/sqrt(d)||
bert_generation|BertGenerationSelfAttention|89|2020-12|1/sqrt(d)|1/sqrt(d)||
bert_generation|BertGenerationCrossAttention|157|2020-12|1/sqrt(d)|1/sqrt(d)||
blenderbot|BlenderbotAttention|129|2020-12|1/sqrt(d)|1/sqrt(d)||
fsmt|Attention|664|2020-12|1/sqrt(d)|1/sqrt(d)||
funnel|FunnelRelMultiheadAttention|343|2020-12|1/sqrt(d)|1/sqrt(d)||bias
layoutlm|LayoutLMSelfAttention|146|2020-12|1/sqrt(d)|1/sqrt(d)||
lxmert|LxmertAttention|217|2020-12|1/sqrt(d)|1/sqrt(d)||
mbart|MBartAttention|151|2020-12|1/sqrt(d)|1/sqrt(d)||
mpnet|MPNetSelfAttention|115|2020-12|1/sqrt(d)|1/sqrt(d)||bias
pegasus|PegasusAttention|138|2020-12|1/sqrt(d)|1/sqrt(d)||
prophetnet|ProphetNetAttention|385|2020-12|1/sqrt(d)|1/sqrt(d)||
prophetnet|ProphetNetNgramSelfAttention|526|2020-12|1/sqrt(d)|1/sqrt(d)||bias
squeezebert|SqueezeBertSelfAttention|156|2020-12|1/sqrt(d)|1/sqrt(d)||
tapas|TapasSelfAttention|144|2020-12|1/sqrt(d)|1/sqrt(d)||
bart|BartAttention|143|2020-07|1/sqrt(d)|1/sqrt(d)||
electra|ElectraSelfAttention|146|2020-07|1/sqrt(d)|1/sqrt(d)||
electra|ElectraCrossAttention|214|2020-07|1/sqrt(d)|1/sqrt(d)||
flaubert|MultiHeadAttention|83|2020-07|1/sqrt(d)|1/sqrt(d)||
longformer|LongformerSelfAttention|446|2020-07|1/sqrt(d)|1/sqrt(d)||
marian|MarianAttention|136|2020-07|1/sqrt(d)|1/sqrt(d)||
mobilebert|MobileBertSelfAttention|171|2020-07|1/sqrt(d)|1/sqrt(d)||
reformer|LSHSelfAttention|415|2020-07|1/sqrt(d)|1/sqrt(d)||
reformer|LocalSelfAttention|1109|2020-07|1/sqrt(d)|1/sqrt(d)||
albert|AlbertAttention|138|2019-12|1/sqrt(d)|1/sqrt(d)||
camembert|CamembertSelfAttention|186|2019-12|1/sqrt(d)|1/sqrt(d)||
camembert|CamembertCrossAttention|253|2019-12|1/sqrt(d)|1/sqrt(d)||
ctrl|MultiHeadAttention|94|2019-12|1/sqrt(d)|1/sqrt(d)||
xlm_roberta|XLMRobertaSelfAttention|186|2019-12|1/sqrt(d)|1/sqrt(d)||
xlm_roberta|XLMRobertaCrossAttention|253|2019-12|1/sqrt(d)|1/sqrt(d)||
bert|BertSelfAttention|139|2019-09|1/sqrt(d)|1/sqrt(d)||
bert|BertCrossAttention|206|2019-09|1/sqrt(d)|1/sqrt(d)||
distilbert|DistilBertSelfAttention|149|2019-09|1/sqrt(d)|1/sqrt(d)||
gpt2|GPT2Attention|75|2019-09|1/sqrt(d)|1/sqrt(d)||
openai|Attention|46|2019-09|1/sqrt(d)|1/sqrt(d)||
roberta|RobertaSelfAttention|186|2019-09|1/sqrt(d)|1/sqrt(d)||
roberta|RobertaCrossAttention|253|2019-09|1/sqrt(d)|1/sqrt(d)||
xlm|MultiHeadAttention|493|2019-09|1/sqrt(d)|1/sqrt(d)||
xlnet|XLNetRelativeAttention|38|2019-09|1/sqrt(d)|1/sqrt(d)||bias`;
