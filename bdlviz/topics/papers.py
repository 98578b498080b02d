"""The papers that pages cite, each written once: first author and year name it."""

from __future__ import annotations

from bdlviz.ui.model import Paper

BISHOP_2006 = Paper("Bishop 2006, Pattern recognition and machine learning, section 10.1")
BISHOP_2006_LINEAR = Paper(
    "Bishop 2006, Pattern recognition and machine learning, section 3.3 (Bayesian linear regression)"
)
BLEI_2017 = Paper(
    "Blei, Kucukelbir & McAuliffe 2017, Variational inference: a review", "https://arxiv.org/abs/1601.00670"
)
BLUNDELL_2015 = Paper("Blundell et al. 2015, Weight uncertainty in neural networks", "https://arxiv.org/abs/1505.05424")
BROCKER_2007 = Paper("Bröcker & Smith 2007, Increasing the reliability of reliability diagrams")
BURDA_2016 = Paper("Burda et al. 2016, Importance weighted autoencoders", "https://arxiv.org/abs/1509.00519")
CARVALHO_2010 = Paper("Carvalho, Polson & Scott 2010, The horseshoe estimator for sparse signals")
DAWID_1984 = Paper("Dawid 1984, Statistical theory: the prequential approach")
EL_YANIV_2010 = Paper(
    "El-Yaniv & Wiener 2010, On the foundations of noise-free selective classification",
    "https://www.jmlr.org/papers/v11/el-yaniv10a.html",
)
FOONG_2019 = Paper("Foong et al. 2019, ‘In-between’ uncertainty", "https://arxiv.org/abs/1906.11537")
FOONG_2020 = Paper(
    "Foong et al. 2020, On the expressiveness of approximate inference", "https://arxiv.org/abs/1909.00719"
)
GAL_2016 = Paper("Gal & Ghahramani 2016, Dropout as a Bayesian approximation", "https://arxiv.org/abs/1506.02142")
GAL_2017 = Paper("Gal, Hron & Kendall 2017, Concrete dropout", "https://arxiv.org/abs/1705.07832")
GAL_2017_ACTIVE = Paper(
    "Gal, Islam & Ghahramani 2017, Deep Bayesian active learning with image data", "https://arxiv.org/abs/1703.02910"
)
GRAVES_2011 = Paper("Graves 2011, Practical variational inference for neural networks")
GUO_2017 = Paper("Guo et al. 2017, On calibration of modern neural networks", "https://arxiv.org/abs/1706.04599")
HIGGINS_2017 = Paper("Higgins et al. 2017, beta-VAE", "https://openreview.net/forum?id=Sy2fzU9gl")
HINTON_1993_MDL = Paper(
    "Hinton & van Camp 1993, Keeping the neural networks simple by minimizing the description length of the weights"
)
HINTON_2006 = Paper(
    "Hinton & Salakhutdinov 2006, Reducing the dimensionality of data with neural networks",
    "https://doi.org/10.1126/science.1127647",
)
HOERL_1970 = Paper("Hoerl & Kennard 1970, Ridge regression: biased estimation for nonorthogonal problems")
HOULSBY_2011 = Paper(
    "Houlsby et al. 2011, Bayesian active learning (mutual information)", "https://arxiv.org/abs/1112.5745"
)
HRON_2018 = Paper(
    "Hron, Matthews & Ghahramani 2018, Variational Bayesian dropout: pitfalls and fixes",
    "https://arxiv.org/abs/1807.01969",
)
KENDALL_2017 = Paper(
    "Kendall & Gal 2017, What uncertainties do we need in Bayesian deep learning for computer vision?",
    "https://arxiv.org/abs/1703.04977",
)
KENDALL_2018 = Paper(
    "Kendall, Gal & Cipolla 2018, Multi-task learning using uncertainty to weigh losses",
    "https://arxiv.org/abs/1705.07115",
)
KHARITONOV_2018 = Paper(
    "Kharitonov, Molchanov & Vetrov 2018, Variational dropout via empirical Bayes", "https://arxiv.org/abs/1811.00596"
)
KINGMA_2014 = Paper("Kingma & Welling 2014, Auto-encoding variational Bayes", "https://arxiv.org/abs/1312.6114")
KINGMA_2014_SEMI_SUPERVISED = Paper(
    "Kingma, Rezende, Mohamed & Welling 2014, Semi-supervised learning with deep generative models",
    "https://arxiv.org/abs/1406.5298",
)
KINGMA_2015 = Paper(
    "Kingma, Salimans & Welling 2015, Variational dropout and the local reparameterization trick",
    "https://arxiv.org/abs/1506.02557",
)
KIRSCH_2019 = Paper("Kirsch, van Amersfoort & Gal 2019, BatchBALD", "https://arxiv.org/abs/1906.08158")
KROGH_1991 = Paper("Krogh & Hertz 1991, A simple weight decay can improve generalization")
LAKSHMINARAYANAN_2017 = Paper(
    "Lakshminarayanan, Pritzel & Blundell 2017, Simple and scalable predictive uncertainty estimation",
    "https://arxiv.org/abs/1612.01474",
)
LOAIZA_GANEM_2019 = Paper(
    "Loaiza-Ganem & Cunningham 2019, The continuous Bernoulli", "https://arxiv.org/abs/1907.06845"
)
LOUIZOS_2017 = Paper(
    "Louizos, Ullrich & Welling 2017, Bayesian compression for deep learning", "https://arxiv.org/abs/1705.08665"
)
LUCAS_2019 = Paper(
    "Lucas et al. 2019, Don't blame the ELBO! A linear VAE perspective on posterior collapse",
    "https://arxiv.org/abs/1911.02469",
)
LU_2017 = Paper("Lu & Van Roy 2017, Ensemble sampling", "https://arxiv.org/abs/1705.07347")
MAATEN_2008 = Paper(
    "van der Maaten & Hinton 2008, Visualizing data using t-SNE", "https://jmlr.org/papers/v9/vandermaaten08a.html"
)
MACKAY_1992 = Paper(
    "MacKay 1992, A practical Bayesian framework for backpropagation networks",
    "https://doi.org/10.1162/neco.1992.4.3.448",
)
MACKAY_1992_ACTIVE = Paper("MacKay 1992, Information-based objective functions for active data selection")
MADDISON_2017 = Paper("Maddison, Mnih & Teh 2017, The concrete distribution", "https://arxiv.org/abs/1611.00712")
MOLCHANOV_2017 = Paper(
    "Molchanov, Ashukha & Vetrov 2017, Variational dropout sparsifies deep neural networks",
    "https://arxiv.org/abs/1701.05369",
)
NEAL_1996 = Paper("Neal 1996, Bayesian learning for neural networks")
NEAL_2011 = Paper("Neal 2011, MCMC using Hamiltonian dynamics", "https://arxiv.org/abs/1206.1901")
OSBAND_2016 = Paper("Osband 2016, Risk versus uncertainty in deep learning (workshop on Bayesian deep learning)")
OVADIA_2019 = Paper("Ovadia et al. 2019, Can you trust your model's uncertainty?", "https://arxiv.org/abs/1906.02530")
ROBERTS_1996 = Paper("Roberts & Tweedie 1996, Exponential convergence of Langevin distributions")
ROEDER_2017 = Paper(
    "Roeder, Wu & Duvenaud 2017, Sticking the landing: lower-variance gradients for variational inference",
    "https://arxiv.org/abs/1703.09194",
)
SOENDERBY_2016 = Paper(
    "Sønderby et al. 2016, Ladder variational autoencoders (warm-up)", "https://arxiv.org/abs/1602.02282"
)
SOHN_2015 = Paper(
    "Sohn, Lee & Yan 2015, Learning structured output representation using deep conditional generative models",
    "https://papers.nips.cc/paper/5775-learning-structured-output-representation-using-deep-conditional-generative-models",
)
SRINIVAS_2010 = Paper(
    "Srinivas et al. 2010, Gaussian process optimization in the bandit setting", "https://arxiv.org/abs/0912.3995"
)
SRIVASTAVA_2014 = Paper("Srivastava et al. 2014, Dropout", "https://jmlr.org/papers/v15/srivastava14a.html")
THOMPSON_1933 = Paper("Thompson 1933, On the likelihood that one unknown probability exceeds another")
VEHTARI_2021 = Paper(
    "Vehtari et al. 2021, Rank-normalization, folding, and localization: an improved R-hat",
    "https://arxiv.org/abs/1903.08008",
)
WANG_2013 = Paper("Wang & Manning 2013, Fast dropout training", "https://proceedings.mlr.press/v28/wang13a.html")
WATTENBERG_2016 = Paper(
    "Wattenberg, Viégas & Johnson 2016, How to use t-SNE effectively", "https://distill.pub/2016/misread-tsne/"
)
WELLING_2011 = Paper("Welling & Teh 2011, Bayesian learning via stochastic gradient Langevin dynamics")
WEN_2018 = Paper("Wen et al. 2018, Flipout", "https://arxiv.org/abs/1803.04386")
YAO_2019 = Paper(
    "Yao et al. 2019, Quality of uncertainty quantification for Bayesian neural network inference",
    "https://arxiv.org/abs/1906.09686",
)
